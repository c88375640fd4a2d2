#pragma once

#include <optional>
#include <vector>

#include "core/ids.hpp"

namespace crescendo::simulator {

/// The time from one report of a trial to the next, or from its start to the first report.
struct Interval {
    double seconds;
    double epochs;
    int workers;
};

/// Measured times of a trial of a real sweep. The first interval includes the trial's start.
struct RecordedTrial {
    std::vector<Interval> intervals;
};

/// Parameters of EpochTime and VirtualCluster that fit the recorded trials.
struct FittedTimes {
    std::vector<double> epoch;                ///< for each trial, seconds of an epoch on one worker
    double start = 0;                         ///< seconds until a trial that starts begins to train
    std::optional<double> loss_per_doubling;  ///< none if no trial was trained at two sizes
};

/// Fits the times of a simulation to recorded trials, by medians, so that a short disturbance of the machine has no
/// effect.
///
/// The speed-up comes from trials trained at two sizes. A trial's epoch comes from its intervals after the first,
/// corrected by that speed-up. The start is the extra time of first intervals. If a trial has one report, its epoch is
/// the first interval without the start; if it has none, it is the median of the others. The result is empty if no
/// trial has reported.
FittedTimes fit(const std::vector<RecordedTrial>& trials);

}  // namespace crescendo::simulator
