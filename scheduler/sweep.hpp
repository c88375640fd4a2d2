#pragma once

#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "scheduler/actions.hpp"
#include "scheduler/allocator.hpp"
#include "scheduler/asha.hpp"
#include "scheduler/events.hpp"
#include "scheduler/rung.hpp"
#include "scheduler/sweep_spec.hpp"
#include "scheduler/trial.hpp"

namespace crescendo {

enum class SweepState { running, finished, failed };

/// The whole of a sweep's decisions: a deterministic state machine.
///
/// ASHA (Li et al., "A System for Massively Parallel Hyperparameter Tuning", MLSys 2020) decides
/// which trials train on; RASDA (resource-adaptive successive doubling, Aach et al. 2025) decides
/// on how many workers. Equal specs and equal events give equal actions, bit for bit.
class Sweep {
  public:
    /// Throws InvalidInput where `spec` makes no sense.
    explicit Sweep(SweepSpec spec);

    /// What to do about `event`, in the order to do it. No StopTrial or Regroup about the trial
    /// of a report means: go on. An event about an unknown trial, a report of a resource that is
    /// not positive, slots that never joined or slots that joined already throw InvalidInput and
    /// change nothing; events that come late (a second report of the same resource, a report after
    /// the end, slots lost twice) change nothing either.
    std::vector<Action> apply(const Event& event);

    const SweepSpec& spec() const { return spec_; }
    SweepState state() const;
    std::optional<FinishReason> finish_reason() const { return finish_reason_; }

    /// All trials so far, indexed by id. References last until the next event.
    const std::vector<Trial>& trials() const { return trials_; }
    const Trial& trial(TrialId id) const;

    /// The ladder from the lowest rung to the one at max; for fifo only the latter.
    const std::vector<Rung>& rungs() const { return asha_.rungs(); }

    /// The best loss at its last report among trials that did not fail; ties go to the lower id.
    std::optional<TrialId> best() const;

    /// Where the running trial has to have a checkpoint next: its next milestone.
    Resource next_milestone(TrialId id) const;

    /// The slots there are, in the order of their ids.
    std::vector<SlotId> slots() const { return allocator_.pool().slots(); }
    int num_slots() const { return allocator_.pool().size(); }
    int num_free_slots() const { return allocator_.pool().num_free(); }
    /// As given, or as fixed by the first slots that joined; 0 before.
    int max_workers() const { return allocator_.max_workers(); }

  private:
    /// What an event leads to, apart from what the allocator does with the slots it frees.
    struct Effects {
        std::vector<Action> actions;
        std::vector<TrialId> obsolete;  ///< trials whose checkpoints nothing will need
    };

    void handle(const SlotsJoined& event, Effects& effects);
    void handle(const SlotsLost& event, Effects& effects);
    void handle(const TrialReported& event, Effects& effects);
    void handle(const TrialFinished& event, Effects& effects);
    void handle(const TrialFailed& event, Effects& effects);
    void handle(const TimeUp& event, Effects& effects);
    void handle(const Cancelled& event, Effects& effects);

    Trial& known_trial(TrialId id);
    bool over() const { return finish_reason_.has_value(); }

    void go_on(Trial& trial, Effects& effects);
    void stop(Trial& trial, StopReason reason, Effects& effects);
    void end(Trial& trial, TrialStatus how, Effects& effects);
    void end_sweep(FinishReason reason, Effects& effects);

    void suspend(Trial& trial);
    void leave_group(Trial& trial);
    void keep_best_checkpoint(const Trial& trial, Effects& effects);

    void allocate(std::vector<Action>& actions);
    bool resume_next(std::vector<Action>& actions);
    bool start_next(std::vector<Action>& actions);
    void update_batch(Trial& trial) const;

    /// Waiting trials in the order in which they get slots: those that survived most rungs first.
    using WaitingOrder = std::pair<int, TrialId>;
    static WaitingOrder waiting_order(const Trial& trial) { return {-trial.rungs_survived, trial.id}; }

    SweepSpec spec_;
    Asha asha_;
    Allocator allocator_;
    std::vector<Trial> trials_;
    std::set<TrialId> running_;
    std::set<WaitingOrder> waiting_;
    int num_ended_ = 0;
    int num_failed_ = 0;
    std::optional<TrialId> kept_;  // the best trial that ended without failing: its checkpoint is the sweep's result
    std::optional<FinishReason> finish_reason_;
};

}  // namespace crescendo
