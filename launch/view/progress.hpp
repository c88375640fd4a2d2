#pragma once

#include <optional>

#include "launch/record/history.hpp"

namespace crescendo::launch {

/// How far a sweep is, and an estimate of what is left.
struct Progress {
    std::optional<double> fraction;      ///< of the expected resource, 0 to 1; none while nothing bounds the sweep
    std::optional<double> seconds_left;  ///< none before the first report
    int running = 0;
    int waiting = 0;
    int paused = 0;
    int stopped = 0;
    int finished = 0;
    int failed = 0;

    int begun() const { return running + waiting + paused + stopped + finished + failed; }
};

/// The resource still to come is estimated from the ladder: a trial that reaches a rung survives it with the
/// frequency seen so far. Time follows from the slot-seconds that a unit of resource has taken.
Progress progress_of(const History& history, double now, std::optional<double> time_budget);

}  // namespace crescendo::launch
