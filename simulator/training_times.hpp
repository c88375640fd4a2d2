#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "core/ids.hpp"
#include "scheduler/events.hpp"
#include "simulator/simulation_spec.hpp"

namespace crescendo::simulator {

/// How many times as fast as one worker a group of `workers` trains. Doubling a group multiplies its speed by
/// 2 * (1 - loss_per_doubling).
double speedup(int workers, double loss_per_doubling);

/// Epochs that a trial of a real sweep trained between two reports.
struct RecordedEpochs {
    Resource end;                     ///< resource of the report after these epochs
    double alone = 0;                 ///< seconds that each epoch would have taken one worker
    std::vector<int> workers;         ///< sizes of the groups that trained them; the last group reported
    std::optional<Steps> steps{};     ///< as they were reported; none: unknown
    std::optional<double> trained{};  ///< seconds of the training clock; none if the trainer has none
};

/// What a trial reported about its first steps (TrialTimed).
struct RecordedStart {
    double told = 0;  ///< seconds from the decision that gave the trial its group to this event
    Steps steps{};
    std::optional<double> samples_per_resource{};
};

/// A change of a trial's group.
struct RecordedRegroup {
    /// What the trial reported about the change (TrialRegrouped).
    struct Told {
        double after = 0;                      ///< seconds from the decision to this event
        double seconds = 0;                    ///< how long the trial stood still
        std::optional<double> step_seconds{};  ///< mean seconds of the group's first steps
    };

    double seconds = 0;          ///< how long the trial stood still, up to its next report
    std::optional<Told> told{};  ///< none: the trial reported nothing about the change
};

/// Measured times of a trial of a real sweep, in seconds. Times of epochs are those that one worker would have taken.
struct RecordedTimes {
    double epoch = 0;                    ///< time of an epoch that was not measured
    std::map<int, double> epoch_with;    ///< as `epoch`, for groups whose size has trained other epochs of the trial
    std::vector<RecordedEpochs> epochs;  ///< ordered by their ends
    std::map<Resource, double>
        starts;  ///< by the end of the epochs: time until they began, if the trial had no slots before
    std::map<int, RecordedRegroup> regroups;  ///< by the generation of the new group

    /// What the trial reported about its first steps, by the generation of the group that trained them. None: not
    /// recorded.
    std::optional<std::map<int, RecordedStart>> first_steps;

    /// Seconds that an epoch would have taken one worker, derived from a group of `workers`.
    double alone(Resource resource, int workers) const;

    /// The epochs that include the one ending at `resource`; null if they were not recorded.
    const RecordedEpochs* find(Resource resource) const;
};

/// How long the starts, epochs and regroups of trials take.
///
/// An epoch of W workers takes t * (serial + (1 - serial) / speedup(W)) + communication * log2(W), where t is the
/// trial's time on one worker. A straggling epoch takes straggler_factor times as long.
class TrainingTimes {
  public:
    /// Draws each trial's time t on one worker, log-uniform around spec.epoch.
    TrainingTimes(const SimulationSpec& spec, std::uint64_t seed);

    /// Uses recorded times if there are any: recorded[i] for trial i. Trials beyond the recorded ones start again with
    /// recorded[0]. `recorded` must not be empty.
    TrainingTimes(const SimulationSpec& spec, std::uint64_t seed, std::vector<RecordedTimes> recorded);

    /// Seconds of the epoch that ends at `resource`, with a group of `workers`.
    double epoch(TrialId trial, Resource resource, int workers) const;

    /// Seconds until a trial that starts, or is resumed, begins to train the epoch that ends at `resource`.
    double start(TrialId trial, Resource resource) const;

    /// What happened when a trial got its group of this generation; null if it was not recorded.
    const RecordedRegroup* regroup(TrialId trial, int generation) const;

    /// What a trial reports about its first steps, trained by its group of this generation, and when. None if a
    /// recorded trial reported nothing about them; `simulated` if such reports were not recorded.
    std::optional<RecordedStart> first_steps(TrialId trial, int generation, const RecordedStart& simulated) const;

    /// The recorded epochs that end at `resource`, if a group of `workers` reported them; else null.
    const RecordedEpochs* reported(TrialId trial, Resource resource, int workers) const;

  private:
    const RecordedTimes& recorded(TrialId trial) const;
    double alone(TrialId trial, Resource resource, int workers) const;

    SimulationSpec spec_;
    std::uint64_t seed_;
    std::vector<RecordedTimes> recorded_;
};

}  // namespace crescendo::simulator
