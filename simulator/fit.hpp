#pragma once

#include <map>
#include <optional>
#include <vector>

#include "core/ids.hpp"
#include "simulator/training_times.hpp"

namespace crescendo::simulator {

/// A stretch of time in which a trial's group had one size, without the regroup at its beginning.
struct Stretch {
    double seconds;
    int workers;
};

/// What a trial did from one report to the next, or before the first one.
struct Interval {
    Resource end;                     ///< resource of the report at its end
    std::vector<Stretch> stretches;   ///< at least one
    std::optional<double> start;      ///< seconds of the first stretch before the trial trained; none: there were
                                      ///< some, but their number is unknown
    std::optional<Steps> steps{};     ///< as the report has them; none: unknown
    std::optional<double> trained{};  ///< seconds of the training clock; none if the trainer has none
};

/// Measured times of a trial of a real sweep.
struct RecordedTrial {
    std::vector<Interval> intervals;
    std::map<int, RecordedRegroup> regroups{};                  ///< by the generation of the new group
    std::optional<std::map<int, RecordedStart>> first_steps{};  ///< see RecordedTimes
};

/// Parameters of TrainingTimes and VirtualCluster that fit the recorded trials.
struct FittedTimes {
    std::vector<RecordedTimes> trials;
    double start = 0;                         ///< seconds until a trial that starts begins to train
    std::optional<double> loss_per_doubling;  ///< none if no trial was trained at two sizes
    std::optional<double> batch;              ///< samples in one of a trial's first steps; none: not reported
    std::optional<double> samples;            ///< samples of an epoch; none: step times were not reported
};

/// Fits the times of a simulation to recorded trials. Keeps what was measured: the time of each epoch, each start, and
/// each regroup. The rest follows from medians, so that a short disturbance of the machine has no effect.
///
/// The speed-up comes from trials trained at two sizes. A trial's epochs come from its intervals, corrected by that
/// speed-up. An unknown start is the median extra time of first intervals. A trial that has not reported gets the
/// median epoch of the others. The samples of an epoch follow from the times of steps. The result is empty if no trial
/// has reported.
FittedTimes fit(const std::vector<RecordedTrial>& trials);

}  // namespace crescendo::simulator
