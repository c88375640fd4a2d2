#pragma once

#include <optional>
#include <vector>

#include "core/ids.hpp"

namespace crescendo::simulator {

/// From one report of a trial to the next, or from its start to the first.
struct Interval {
    double seconds;
    double epochs;
    int workers;
};

/// The times of a trial that was really trained; the first interval includes its start.
struct RecordedTrial {
    std::vector<Interval> intervals;
};

/// What they say about the model of EpochTime and VirtualCluster.
struct FittedTimes {
    std::vector<double> epoch;                ///< by trial: seconds an epoch on one worker
    double start = 0;                         ///< seconds
    std::optional<double> loss_per_doubling;  ///< none where no trial was trained at two sizes
};

/// Medians throughout, so that a hiccup of the machine does not count.
///
/// The speed-up comes from trials trained at two sizes; an epoch from a trial's intervals after its first, in units of
/// that speed-up; the start is what first intervals took longer; a trial with one report took what is left of it, and
/// one without any the median of the others. Empty where no trial has reported.
FittedTimes fit(const std::vector<RecordedTrial>& trials);

}  // namespace crescendo::simulator
