#pragma once

#include <map>
#include <optional>
#include <vector>

#include "core/ids.hpp"
#include "simulator/training_times.hpp"

namespace crescendo::simulator {

/// A time for which the group of a trial had one size, without the regroup at its beginning.
struct Stretch {
    double seconds;
    int workers;
};

/// What a trial did from one report to the next, or before the first one.
struct Interval {
    Resource end;                     ///< resource of the report at its end
    std::vector<Stretch> stretches;   ///< at least one
    std::optional<double> start;      ///< seconds of the first stretch before the trial trained; none if there were
                                      ///< some, and nobody knows how many
    std::optional<Steps> steps{};     ///< as the report has them; none if nobody knows what it had
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
    std::optional<double> batch;              ///< samples of a trial's first steps; none if nobody reported them
    std::optional<double> samples;            ///< of an epoch; none if nobody reported the times of steps
};

/// Fits the times of a simulation to recorded trials. What was measured is kept: what each epoch took, each start, and
/// each regroup. The rest follows by medians, so that a short disturbance of the machine has no effect.
///
/// The speed-up comes from trials trained at two sizes. A trial's epochs come from its intervals, corrected by that
/// speed-up. Where nobody knows the start, it is the extra time of first intervals (median). A trial that has not
/// reported gets the median epoch of the others. The samples of an epoch follow from the times of steps. The result is
/// empty if no trial has reported.
FittedTimes fit(const std::vector<RecordedTrial>& trials);

}  // namespace crescendo::simulator
