#pragma once

#include <optional>
#include <set>
#include <span>
#include <vector>

#include "scheduler/actions.hpp"
#include "scheduler/events.hpp"
#include "scheduler/schedulers/any_scheduler.hpp"
#include "scheduler/sweep/candidates.hpp"
#include "scheduler/sweep/improvement.hpp"
#include "scheduler/sweep/placement.hpp"
#include "scheduler/sweep/proposals.hpp"
#include "scheduler/sweep/trials.hpp"
#include "scheduler/sweep_spec.hpp"
#include "scheduler/trial.hpp"

namespace crescendo {

enum class SweepState { running, finished, failed };

/// Makes all decisions of a sweep: a deterministic state machine.
///
/// A sampler proposes the configurations of new trials, and a scheduler decides which trials continue. RASDA
/// (resource-adaptive successive doubling, Aach et al. 2025) decides on how many workers each trial runs. Equal specs
/// and equal events give equal actions, bit for bit.
///
/// Free slots are given out at every event, as long as a trial can use them. Waiting trials (which lost all their
/// workers, or wait for their full size) and paused trials that may be promoted come first, beginning with those that
/// survived most rungs; then come new trials. A running trial grows or gives slots back at its own report, when it
/// reports its step times, and when the try that it waited for is over (Growth). Otherwise it continues with the
/// workers that it has, except for those that it loses.
///
/// Four settings (docs/sweep-file.md) leave slots free on purpose. `max_concurrent` limits the running trials.
/// `priority: promotions_first` keeps as many slots free as running trials are short of their targets, and gives them
/// to the first of those trials that reports. `grow: wait` collects slots for the first waiting trial, unless priority
/// is `starts_first`. `distinct_gpus` never gives a trial two slots on one GPU.
///
/// A sampler may have nothing to propose yet. The other trials then get slots as if no trial could start, the remaining
/// slots stay idle, and the sampler is asked again at every event. If it has nothing while no trial runs or waits for
/// slots (trials that could be promoted are then running), no report will ever change that: the sweep ends as if
/// run_cap had been reached.
///
/// A trial that its user holds gets no slots, and the others continue as if it were slow. If only held trials are left,
/// the sweep waits until one is released.
///
/// If trials are repetitions of configurations (`repeat`), the sampler, the target, `best` and the patience of the
/// sweep see only configurations, with their judged losses. All repetitions of a configuration exist from the moment
/// the first one starts; the others wait for slots, ahead of new configurations.
///
/// Some samplers propose by events (Sampler::proposes_by_events). Then slots for a new trial are kept free until
/// TrialProposed gives its configuration. Trials that wait or may be promoted still get these slots, whatever the
/// priority: the sampler may have nothing to propose before one of them reports.
class Sweep {
  public:
    /// Throws InvalidInput if `spec` makes no sense.
    explicit Sweep(SweepSpec spec);

    /// `sampler` proposes instead of the one that `spec` names.
    Sweep(SweepSpec spec, AnySampler sampler);

    /// Returns what to do about `event`, in the order in which to do it. No StopTrial, PauseTrial or Regroup for a
    /// trial that reports means: continue.
    ///
    /// Throws InvalidInput and changes nothing for: an unknown trial; a report of a resource that is not positive, or
    /// less than the trial has reported since it was started or resumed; slots that never joined, or have already
    /// joined; limits that make no sense or that the scheduler cannot accept; the retry of a trial that has not failed,
    /// or whose rung was decided without it. Late and repeated events change nothing: a second report of the same
    /// resource, what a resumed trial repeats, a report after the end, slots lost twice. Only LimitsChanged and
    /// TrialRetried reopen a sweep.
    std::vector<Action> apply(const Event& event);

    /// Throws InvalidInput if apply() would. Changes nothing.
    void require_valid(const LimitsChanged& event) const;
    void require_valid(const TrialRetried& event) const;

    /// The first trial that has not started and whose configuration the sampler will be asked for.
    TrialId first_unproposed() const { return first_trial_of(proposals_.first_without(next_candidate())); }

    /// The trial that starts as soon as TrialProposed gives it a configuration: slots are kept for it, unless another
    /// trial gets them first. None if the sampler does not propose by events.
    std::optional<TrialId> awaited_proposal() const {
        const auto candidate = over() ? std::nullopt : proposals_.awaited();
        return candidate ? std::optional(first_trial_of(*candidate)) : std::nullopt;
    }

    /// The sampler's answer about the awaited trial, to be recorded and then applied: TrialProposed, or ProposalsEnded
    /// if it has nothing and no report will change that. Nothing if no trial is awaited, or while the sampler needs
    /// more results first. Call it after each apply(), until it returns nothing.
    std::optional<Event> propose();

    /// The candidates about which the sampler was told something since the last call, for a sampler in another process.
    /// None if the sampler does not propose by events.
    std::set<TrialId> take_news() { return proposals_.take_news(); }

    /// The trials that are new, or whose status or resource changed, since the last call. All trials at the first call.
    std::set<TrialId> take_changes() { return trials_.take_changes(); }

    /// Whether no report will come, because no trial runs, waits for slots or may be released.
    bool has_come_to_rest() const { return !is_busy() && trials_.count(TrialStatus::held) == 0; }

    /// Whether all that is left to do is to release trials that their user holds. Nothing happens until then.
    bool waits_for_release() const {
        return !over() && !is_busy() && !can_start() && trials_.count(TrialStatus::held) > 0;
    }

    const SweepSpec& spec() const { return spec_; }
    SweepState state() const;
    std::optional<FinishReason> finish_reason() const { return finish_reason_; }

    /// Whether DeadlineNear holds: trials may leave their slots, but none starts, resumes or grows.
    bool deadline_is_near() const { return deadline_is_near_; }

    /// All trials so far, indexed by id. References last until the next event.
    const std::vector<Trial>& trials() const { return trials_.all(); }
    bool has(TrialId id) const { return trials_.has(id); }
    const Trial& trial(TrialId id) const { return trials_[id]; }
    /// Number of trials that have this status now.
    int count(TrialStatus status) const { return trials_.count(status); }

    /// What the sampler learns from, and `best` chooses from: the trials or, with `repeat`, their configurations
    /// (Candidates).
    const std::vector<Trial>& candidates() const { return candidates_.all(trials_).all(); }
    const Trial& candidate_of(TrialId trial) const { return candidates_.of(trials_, trial); }
    /// All repetitions of the trial's configuration, or the trial alone.
    std::span<const Trial> repetitions_of(TrialId trial) const { return candidates_.repetitions(trials_, trial); }

    /// Sizes of all rungs, over all brackets, from the lowest to the one at max. fifo and median have only the one at
    /// max.
    std::vector<RungSize> rungs() const { return scheduler_->rungs(); }

    /// The trial with the best loss at its last report, among trials that did not fail. Ties go to the lower id. If
    /// trials are repetitions: the best repetition of the configuration with the best judged loss.
    std::optional<TrialId> best() const;

    /// As best(), but only among trials that have ended (configurations, if trials are repetitions).
    std::optional<TrialId> best_ended() const { return candidates_.best_ended(trials_); }

    /// The trial's next milestone: the resource at which it must have its next checkpoint.
    Resource next_milestone(TrialId id) const;

    /// Whether a paused trial could continue training if there were slots for it. Held trials do not count.
    bool can_promote() const { return scheduler_->promotable().has_value(); }

    /// Whether a failed trial can be retried. A synchronous rung that was decided without the trial does not take it
    /// back.
    bool can_retry(TrialId id) const {
        return trial(id).status == TrialStatus::failed && scheduler_->can_retry(trial(id));
    }

    /// Whether `slot` may be to blame if the trial fails there: the trial failed on the same node, GPU or slot, nothing
    /// has been reported from there since then, and the sweep has others.
    bool is_in_doubt(SlotId slot, TrialId id) const {
        return placement_.doubts().doubts(id, slot, placement_.pool());
    }

    /// All slots of the sweep now, in the order of their ids.
    std::vector<SlotId> slots() const { return placement_.pool().slots(); }
    int num_slots() const { return placement_.pool().size(); }
    int num_free_slots() const { return placement_.pool().num_free(); }
    /// `max_workers` of the sweep file, or as many as a trial could have of the first slots that joined; 0 before they
    /// joined.
    int max_workers() const { return placement_.max_workers(); }

    /// What trials gained by more workers, and what they could gain.
    const Growth& growth() const { return placement_.growth(); }

  private:
    /// The actions that follow from an event, collected while it is handled.
    struct Effects {
        std::vector<Action> actions;
        std::vector<Action> placements;  ///< come after `actions`, because they use the slots that those free
    };

    void handle(const SlotsJoined& event, Effects& effects);
    void handle(const SlotsLost& event, Effects& effects);
    void handle(const TrialReported& event, Effects& effects);
    void handle(const TrialTimed& event, Effects& effects);
    void handle(const TrialRegrouped& event, Effects& effects);
    void handle(const TrialFinished& event, Effects& effects);
    void handle(const TrialFailed& event, Effects& effects);
    void handle(const DeadlineNear& event, Effects& effects);
    void handle(const TimeUp& event, Effects& effects);
    void handle(const Cancelled& event, Effects& effects);
    void handle(const TrialProposed& event, Effects& effects);
    void handle(const LimitsChanged& event, Effects& effects);
    void handle(const TrialRetried& event, Effects& effects);
    void handle(const TrialStopped& event, Effects& effects);
    void handle(const TrialHeld& event, Effects& effects);
    void handle(const TrialReleased& event, Effects& effects);
    void handle(const TrialTimeUp& event, Effects& effects);
    void handle(const ProposalsEnded& event, Effects& effects);

    int num_candidates() const { return candidates_.all(trials_).size(); }
    /// The sampler's id for the next trial to start.
    TrialId next_candidate() const { return TrialId{num_candidates()}; }
    TrialId first_trial_of(TrialId candidate) const { return spec_.repeat.first_of(candidate); }
    void start_repetitions(TrialId first);
    void note_judgements();
    void note_value(const Trial& candidate);

    Trial& known_trial(TrialId id);
    const Trial& known_trial(TrialId id) const;
    bool over() const { return finish_reason_.has_value(); }
    bool is_busy() const { return placement_.num_running() > 0 || placement_.first_waiting().has_value(); }
    bool meets(const std::optional<double>& target, double loss) const {
        return target && loss <= to_loss(spec_.goal, *target);
    }
    bool meets_target() const;
    bool has_reached_end(const Trial& trial) const;
    bool may_go_on() const;

    Verdict judge(Trial& trial, Effects& effects);
    bool is_promoted_in_place(const Trial& trial) const;
    bool promote(Trial& trial, Effects& effects);
    void promote_held(Effects& effects);
    void set_rungs(Trial& trial, int rungs_survived) const;

    bool is_below_cap() const { return !spec_.run_cap || num_candidates() < *spec_.run_cap; }
    bool can_start() const { return is_below_cap() && !proposals_.are_exhausted(next_candidate()); }
    Prospects prospects() const {
        return {scheduler_, trials_.all(), can_start(), proposals_.awaited().has_value()};
    }
    void allocate(Effects& effects);
    bool resume_next(Effects& effects);
    bool resume_reluctant(Effects& effects);
    void resume(Trial& trial, Effects& effects);
    bool start_next(Effects& effects);

    void go_on(Trial& trial, bool at_milestone, Effects& effects);
    bool grow_waiting(Effects& effects);
    void lose_workers(Trial& trial, const std::set<SlotId>& lost, Effects& effects);
    void pause(Trial& trial, TrialStatus how, Effects& effects);
    void suspend(Trial& trial, TrialStatus how);
    void stop(Trial& trial, StopReason reason, Effects& effects);
    void stop_by_request(Trial& trial, StopReason reason, Effects& effects);
    void end(Trial& trial, StopReason reason, Effects& effects);
    void end_eliminated(Effects& effects);
    bool waits_in_vain() const;
    void end_all_idle(StopReason reason, Effects& effects);
    void end_sweep(FinishReason reason, Effects& effects);
    void open_again();

    SweepSpec spec_;
    Proposals proposals_;
    AnyScheduler scheduler_;
    Placement placement_;
    Improvement improvement_;
    Candidates candidates_;
    Trials trials_;
    bool is_target_met_ = false;
    bool deadline_is_near_ = false;
    bool time_is_up_ = false;
    std::optional<FinishReason> finish_reason_;
};

}  // namespace crescendo
