#pragma once

#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include "scheduler/actions.hpp"
#include "scheduler/allocator.hpp"
#include "scheduler/any_scheduler.hpp"
#include "scheduler/events.hpp"
#include "scheduler/sweep_spec.hpp"
#include "scheduler/trial.hpp"

namespace crescendo {

enum class SweepState { running, finished, failed };

/// The whole of a sweep's decisions: a deterministic state machine.
///
/// A scheduler decides which trials train on; RASDA (resource-adaptive successive doubling, Aach et al. 2025) decides
/// on how many workers. Equal specs and equal events give equal actions, bit for bit.
///
/// Slots are given out at every event, as long as there is somebody for them: waiting trials (that lost all their
/// workers, or wait for their full size) and paused ones that may be promoted, those that survived most rungs first,
/// and new trials. A running trial grows or gives slots back at its own report only; between reports it goes on without
/// the workers it loses. Three settings (docs/sweep-file.md) leave slots free on purpose: `max_concurrent`; `priority:
/// promotions_first`, which keeps as many as running trials are short of their targets, and gives them to the first of
/// those to report; and `grow: wait`, which collects them for the trial that waits first, unless `starts_first`.
class Sweep {
  public:
    /// Throws InvalidInput where `spec` makes no sense.
    explicit Sweep(SweepSpec spec);

    /// What to do about `event`, in the order to do it. No StopTrial, PauseTrial or Regroup about the trial
    /// of a report means: go on. An event about an unknown trial, a report of a resource that is
    /// not positive or less than the trial reported since it was started or resumed, slots that never joined or slots
    /// that joined already throw InvalidInput and change nothing; events that come late or twice (a second report of
    /// the same resource, what a resumed trial repeats, a report after the end, slots lost twice) change nothing
    /// either. So do limits that make no sense or that the scheduler cannot take up, and the retry of a trial that has
    /// not failed or whose rung was decided without it. Only LimitsChanged and TrialRetried open a sweep again.
    std::vector<Action> apply(const Event& event);

    const SweepSpec& spec() const { return spec_; }
    SweepState state() const;
    std::optional<FinishReason> finish_reason() const { return finish_reason_; }

    /// Whether trials only give way now (DeadlineNear).
    bool deadline_is_near() const { return deadline_is_near_; }

    /// All trials so far, indexed by id. References last until the next event.
    const std::vector<Trial>& trials() const { return trials_; }
    const Trial& trial(TrialId id) const;

    /// From the lowest rung to the one at max, all brackets together; for fifo and median only the latter.
    std::vector<RungSize> rungs() const { return scheduler_->rungs(); }

    /// The best loss at its last report among trials that did not fail; ties go to the lower id.
    std::optional<TrialId> best() const;

    /// Where the trial has to have a checkpoint next: its next milestone.
    Resource next_milestone(TrialId id) const;

    /// Whether a paused trial could train on if there were slots for it.
    bool can_promote() const { return scheduler_->promotable().has_value(); }

    /// Whether a failed trial can be tried again: synchronous rungs do not wait for one that they were decided without.
    bool can_retry(TrialId id) const {
        return trial(id).status == TrialStatus::failed && scheduler_->can_retry(trial(id));
    }

    /// The slots there are, in the order of their ids.
    std::vector<SlotId> slots() const { return allocator_.pool().slots(); }
    int num_slots() const { return allocator_.pool().size(); }
    int num_free_slots() const { return allocator_.pool().num_free(); }
    /// As given, or as fixed by the first slots that joined; 0 before.
    int max_workers() const { return allocator_.max_workers(); }

  private:
    /// What an event leads to.
    struct Effects {
        std::vector<Action> actions;
        std::vector<TrialId> obsolete;   ///< trials whose checkpoints nothing will need
        std::vector<Action> placements;  ///< of the slots that are free then
    };

    void handle(const SlotsJoined& event, Effects& effects);
    void handle(const SlotsLost& event, Effects& effects);
    void handle(const TrialReported& event, Effects& effects);
    void handle(const TrialFinished& event, Effects& effects);
    void handle(const TrialFailed& event, Effects& effects);
    void handle(const DeadlineNear& event, Effects& effects);
    void handle(const TimeUp& event, Effects& effects);
    void handle(const Cancelled& event, Effects& effects);
    void handle(const TrialProposed& event, Effects& effects);
    void handle(const LimitsChanged& event, Effects& effects);
    void handle(const TrialRetried& event, Effects& effects);

    Trial& known_trial(TrialId id);
    bool over() const { return finish_reason_.has_value(); }
    bool meets_target() const;
    bool may_go_on() const;
    Config complete(const Config& proposal) const;

    Verdict judge(Trial& trial);
    bool is_promoted_in_place(const Trial& trial) const;
    bool is_promoted(Trial& trial, Effects& effects);
    void survive(Trial& trial, int rungs_survived) const;
    void pause(Trial& trial, TrialStatus how, Effects& effects);
    void stop(Trial& trial, StopReason reason, Effects& effects);
    void end(Trial& trial, TrialStatus how, Effects& effects);
    void end_eliminated(Effects& effects);
    void end_paused(Effects& effects);
    void end_all_paused(Effects& effects);
    void end_sweep(FinishReason reason, Effects& effects);
    void keep_best_checkpoint(const Trial& trial, Effects& effects);

    void go_on(Trial& trial, bool at_milestone, Effects& effects);
    bool give_back(Trial& trial);
    bool grow(Trial& trial);
    bool add_surplus(Trial& trial);

    bool may_run_another() const;
    bool can_start() const { return !spec_.run_cap || static_cast<int>(trials_.size()) < *spec_.run_cap; }
    int num_for_new_trials() const;
    void allocate(Effects& effects);
    bool resume_next(Effects& effects);
    bool start_next(Effects& effects);
    void run(Trial& trial);
    void suspend(Trial& trial, TrialStatus how);
    void lose_workers(Trial& trial, const std::set<SlotId>& lost, Effects& effects);
    bool count_failure(Trial& trial, FailureKind kind) const;
    void leave_group(Trial& trial);
    void update_batch(Trial& trial) const;

    /// Waiting trials in the order in which they get slots: those that survived most rungs first.
    using WaitingOrder = std::pair<int, TrialId>;
    static WaitingOrder waiting_order(const Trial& trial) { return {-trial.rungs_survived, trial.id}; }
    static WaitingOrder promotion_order(const Trial& trial) { return {-trial.rungs_survived - 1, trial.id}; }
    std::optional<WaitingOrder> next_in_line() const;

    /// Running survivors in the order in which they get surplus: those of the highest rung first, then by loss.
    using Merit = std::tuple<int, double, TrialId>;
    static Merit merit(const Trial& trial) { return {-trial.rungs_survived, *trial.loss, trial.id}; }

    static int size_of(const Trial& trial) { return static_cast<int>(trial.group.slots.size()); }
    int full_size(const Trial& trial) const { return allocator_.full_size(trial.rungs_survived); }

    /// What running trials may ask for at their next report, kept where a policy needs it.
    void count_in(const Trial& trial);
    void count_out(const Trial& trial);
    int num_missing(const Trial& trial) const;
    void recount_missing();

    SweepSpec spec_;
    AnyScheduler scheduler_;
    Allocator allocator_;
    std::vector<Trial> trials_;
    std::map<TrialId, Config> proposals_;  // of trials that have not started
    std::set<WaitingOrder> waiting_;
    std::set<Merit> survivors_;  // running ones, for surplus
    int num_missing_ = 0;        // slots that running trials are short of their full sizes
    bool deadline_is_near_ = false;
    bool time_is_up_ = false;
    int num_running_ = 0;
    int num_paused_ = 0;
    int num_ended_ = 0;
    int num_failed_ = 0;
    std::optional<TrialId> kept_;  // the best trial that ended without failing: its checkpoint is the sweep's result
    std::optional<FinishReason> finish_reason_;
};

}  // namespace crescendo
