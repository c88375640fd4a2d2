#pragma once

#include <optional>
#include <vector>

#include "launch/journal/history.hpp"

namespace crescendo::launch {

/// The progress of a sweep, and an estimate of the time that is left. Only trials that have begun are counted.
struct Progress {
    std::optional<double> fraction;      ///< share of the expected resource, 0 to 1; none while the sweep has no limit
    std::optional<double> seconds_left;  ///< estimate; none before the first report, and while nothing can run
    int running = 0;
    int waiting = 0;
    int paused = 0;
    int held = 0;
    int stopped = 0;
    int finished = 0;
    int failed = 0;

    int begun() const { return running + waiting + paused + held + stopped + finished + failed; }
};

/// The number of trials that have begun. Repetitions of a configuration exist before that, and may end without it.
int num_begun(const Sweep& sweep);

/// Estimates the progress of a sweep. The remaining resource follows from the ladder: a trial that reaches a rung
/// survives it with the frequency seen so far. The remaining time follows from the slot-seconds that a unit of resource
/// has taken, and from the slots that the remaining trials can use: the last trial may leave most of them free. Trials
/// without a `max` are expected to end where the longest one so far did; until one has ended, there is no estimate.
Progress progress_of(const History& history, double now, std::optional<double> time_budget);

/// The highest resource of finished trials; none if no trial has finished.
std::optional<Resource> last_end(const Sweep& sweep);

/// Whether the trial reached this rung. A trial that a lower rung cut or holds did not, however far its report went.
bool has_reached(const Sweep& sweep, const Trial& trial, Resource milestone);

/// The rungs to show, lowest first. Without a `max`, rungs have no end: shows the first one, and those up to the
/// highest that a trial has reached. Empty if trials are not judged.
std::vector<RungSize> shown_rungs(const Sweep& sweep);

}  // namespace crescendo::launch
