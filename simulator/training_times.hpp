#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "core/ids.hpp"
#include "scheduler/events.hpp"
#include "simulator/simulation_spec.hpp"

namespace crescendo::simulator {

/// How many times faster than one worker a group of `workers` trains. Doubling a group multiplies its speed by
/// 2 * (1 - loss_per_doubling).
double speedup(int workers, double loss_per_doubling);

/// Epochs that a trial of a real sweep trained between two reports.
struct RecordedEpochs {
    Resource end;                     ///< resource of the report after them
    double alone = 0;                 ///< seconds that each of them would have taken one worker
    std::vector<int> workers;         ///< sizes of the groups that trained them; the last one reported
    std::optional<Steps> steps{};     ///< as they were reported; none if nobody knows what was
    std::optional<double> trained{};  ///< seconds of the training clock; none if the trainer has none
};

/// What a trial told of its first steps.
struct RecordedStart {
    double told = 0;  ///< seconds from the decision to give it its group until it told
    Steps steps{};
    std::optional<double> samples_per_resource{};
};

/// A change of a trial's group.
struct RecordedRegroup {
    /// What the trial told of it.
    struct Told {
        double after = 0;                      ///< seconds from the decision until it told
        double seconds = 0;                    ///< for which it stood still
        std::optional<double> step_seconds{};  ///< of the group's first steps
    };

    double seconds = 0;          ///< for which the trial stood still, up to its next report
    std::optional<Told> told{};  ///< none: it told nothing
};

/// How long a trial of a real sweep took for what it did. Times of epochs are those that one worker would have taken.
struct RecordedTimes {
    double epoch = 0;                    ///< of an epoch that nobody measured
    std::map<int, double> epoch_with;    ///< the same for a group of a size that has trained other epochs of the trial
    std::vector<RecordedEpochs> epochs;  ///< ordered by their ends
    std::map<Resource, double>
        starts;  ///< until the trial trained the epochs with this end, where it had no slots before
    std::map<int, RecordedRegroup> regroups;  ///< by the generation of the new group

    /// What it told of its first steps, by the generation of the group that trained them. None: nobody listened.
    std::optional<std::map<int, RecordedStart>> first_steps;

    /// Seconds that an epoch would have taken one worker, as they follow from a group of `workers`.
    double alone(Resource resource, int workers) const;

    /// The epochs that have `resource` among them; none if they were not recorded.
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

    /// Uses recorded times wherever there are some: those of recorded[i] for trial i. Trials beyond the recorded ones
    /// begin again with recorded[0]. `recorded` is not empty.
    TrainingTimes(const SimulationSpec& spec, std::uint64_t seed, std::vector<RecordedTimes> recorded);

    /// Time in seconds of the epoch at whose end the trial has consumed `resource`.
    double epoch(TrialId trial, Resource resource, int workers) const;

    /// Seconds until a trial that starts, or is resumed, trains its epoch that ends at `resource`.
    double start(TrialId trial, Resource resource) const;

    /// What happened when a trial got its group of this generation; none if it was not recorded.
    const RecordedRegroup* regroup(TrialId trial, int generation) const;

    /// What a trial tells of its first steps, which a group of this generation trains, and when. None if a recorded
    /// trial had nothing to tell; `simulated` if that was not recorded.
    std::optional<RecordedStart> first_steps(TrialId trial, int generation, const RecordedStart& simulated) const;

    /// What was recorded of the epochs that end at `resource`, if a group of `workers` reported them; else none.
    const RecordedEpochs* reported(TrialId trial, Resource resource, int workers) const;

  private:
    const RecordedTimes& recorded(TrialId trial) const;
    double alone(TrialId trial, Resource resource, int workers) const;

    SimulationSpec spec_;
    std::uint64_t seed_;
    std::vector<RecordedTimes> recorded_;
};

}  // namespace crescendo::simulator
