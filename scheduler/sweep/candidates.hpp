#pragma once

#include <optional>
#include <span>
#include <vector>

#include "core/ids.hpp"
#include "scheduler/actions.hpp"
#include "scheduler/repeat.hpp"
#include "scheduler/schedulers/scheduler.hpp"
#include "scheduler/sweep/trials.hpp"
#include "scheduler/trial.hpp"

namespace crescendo {

/// What the sampler, the target, the patience and `best` of a sweep see: its trials or, with `repeat`, their
/// configurations.
///
/// A configuration is kept as a Trial, whose id counts configurations. Its loss is the one by which it was judged last
/// or, once all its repetitions have ended, the judged loss of their last reports. The `trials` passed to each function
/// are all trials of the sweep.
class Candidates {
  public:
    explicit Candidates(const Repeat& repeat) : repeat_(repeat) {}

    bool are_trials() const { return !repeat_.is_on(); }

    const Trials& all(const Trials& trials) const { return are_trials() ? trials : configurations_; }
    const Trial& of(const Trials& trials, TrialId trial) const {
        return all(trials)[repeat_.configuration_of(trial)];
    }

    /// All repetitions of the trial's configuration, or the trial alone.
    std::span<Trial> repetitions(Trials& trials, TrialId trial) const;
    std::span<const Trial> repetitions(const Trials& trials, TrialId trial) const;

    /// The best trial of the best candidate, among all or among those that have ended. None if none has a finite loss.
    std::optional<TrialId> best(const Trials& trials) const;
    std::optional<TrialId> best_ended(const Trials& trials) const;

    /// Adds the configuration whose first repetition has just begun. Not for sweeps whose candidates are trials.
    const Trial& begin(const Trial& first);

    /// Takes the loss by which the scheduler has judged a configuration. Returns the configuration.
    const Trial& judge(const JudgedConfiguration& judged);

    /// Applies what TrialProposed says about a trial to all repetitions of its configuration. Returns the candidate.
    const Trial& propose(Trials& trials, TrialId trial, const Config& config, std::optional<Origin> origin);

    /// The candidate that reopens because the trial is retried. Null if its configuration had not failed.
    const Trial* retry(const Trial& trial);

    /// The candidate that ends because the trial has ended. Null if another repetition has not ended yet.
    const Trial* end(const Trials& trials, const Trial& trial);

    /// A candidate has ended without failing: drops the checkpoints of trials that can no longer be the best.
    void drop_obsolete(Trials& trials, const Trial& ended, std::vector<Action>& actions);

  private:
    Trial& configuration_of(TrialId trial) { return configurations_[repeat_.configuration_of(trial)]; }
    std::optional<TrialId> best_repetition(const Trials& trials, std::optional<TrialId> candidate) const;

    Repeat repeat_;
    Trials configurations_;  // empty if the candidates are trials
};

}  // namespace crescendo
