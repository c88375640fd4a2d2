#include "scheduler/sweep/sweep.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "core/check.hpp"
#include "scheduler/loss.hpp"

// Private functions that every report passes through are inline, which saves a tenth of the cost of a decision.

namespace crescendo {
namespace {

SweepSpec valid(SweepSpec spec) {
    validate(spec);
    return spec;
}

}  // namespace

Sweep::Sweep(SweepSpec spec) : Sweep(spec, AnySampler(spec)) {}

Sweep::Sweep(SweepSpec spec, AnySampler sampler)
    : spec_(valid(std::move(spec))),
      proposals_(spec_, std::move(sampler)),
      scheduler_(spec_),
      placement_(spec_.scheduler),
      improvement_(spec_.patience),
      candidates_(spec_.repeat) {
    constexpr std::size_t most = 1 << 17;  // about 20 MB, which is only address space until there are trials
    trials_.reserve(std::min(most, static_cast<std::size_t>(spec_.run_cap.value_or(0)) *
                                       static_cast<std::size_t>(spec_.repeat.times)));
}

std::vector<Action> Sweep::apply(const Event& event) {
    const bool was_over = over();
    Effects effects;
    std::visit([&](const auto& kind) { handle(kind, effects); }, event);
    if (was_over && over()) {
        return {};
    }

    if (!over() && is_target_met_) {
        end_sweep(FinishReason::target_reached, effects);
    }
    // Trials that end below, for example at a rung that is decided there, count at the next event. This order must not
    // change: a replay that ended sooner would miss trials that resumed or started, which have reports in the journal.
    if (!over() && improvement_.is_over()) {
        end_sweep(FinishReason::no_progress, effects);
    }
    if (!over()) {
        end_eliminated(effects);
        promote_held(effects);
        allocate(effects);
        if (grow_waiting(effects)) {
            allocate(effects);
        }
        if (waits_in_vain()) {
            scheduler_->close();
            end_eliminated(effects);
            promote_held(effects);
            allocate(effects);
        }
        if (waits_in_vain()) {  // no other trial will be promoted
            end_all_idle(StopReason::judged, effects);
        }
    }
    if (!over() && trials_.all_ended() && !can_start()) {
        finish_reason_ = FinishReason::all_trials_done;
    }
    auto& actions = effects.actions;
    if (actions.empty()) {
        actions = std::move(effects.placements);
    } else {
        std::move(effects.placements.begin(), effects.placements.end(), std::back_inserter(actions));
    }
    if (over()) {
        actions.push_back(FinishSweep{*finish_reason_, best_ended()});
    }
    return std::move(actions);
}

std::optional<Event> Sweep::propose() {
    const auto trial = awaited_proposal();
    if (!trial) {
        return {};
    }
    if (auto proposal = proposals_.propose()) {
        return TrialProposed{*trial, std::move(proposal->config), proposal->origin};
    }
    return has_come_to_rest() ? std::optional<Event>(ProposalsEnded{}) : std::nullopt;
}

std::optional<TrialId> Sweep::best() const { return over() ? best_ended() : candidates_.best(trials_); }

SweepState Sweep::state() const {
    if (!over()) {
        return SweepState::running;
    }
    const int num_failed = trials_.count(TrialStatus::failed);
    const bool all_failed = num_failed > 0 && num_failed == trials_.size();
    return all_failed ? SweepState::failed : SweepState::finished;
}

Resource Sweep::next_milestone(TrialId id) const {
    return scheduler_->next_milestone(trial(id).bracket, trial(id).rungs_survived);
}

void Sweep::handle(const SlotsJoined& event, Effects&) {
    std::set<SlotId> joining;
    for (const auto& slot : event.slots) {
        CRESCENDO_VALIDATE(slot.id.value >= 0 && slot.id.value < SlotPool::end_of_ids, "slots",
                           "slot {} joins, but slot ids go from 0 to {}; number them from 0", slot.id.value,
                           SlotPool::end_of_ids - 1);
        CRESCENDO_VALIDATE(
            !placement_.pool().has(slot.id) && joining.insert(slot.id).second, "slots",
            "slot {} joins, but it already exists (a slot runs only one worker); give each slot its own id",
            slot.id.value);
    }
    deadline_is_near_ = deadline_is_near_ && placement_.pool().size() > 0;
    placement_.join(event.slots);
}

void Sweep::handle(const SlotsLost& event, Effects& effects) {
    std::set<SlotId> lost;
    for (const auto slot : event.slots) {
        CRESCENDO_VALIDATE(placement_.pool().knows(slot), "slots",
                           "slot {} is lost, but never joined; send slots_joined first", slot.value);
        if (placement_.pool().has(slot)) {
            lost.insert(slot);
        }
    }
    for (auto& trial : trials_) {
        if (std::any_of(trial.group.slots.begin(), trial.group.slots.end(),
                        [&](SlotId slot) { return lost.contains(slot); })) {
            lose_workers(trial, lost, effects);
        }
    }
    placement_.lose(lost);
}

void Sweep::handle(const TrialReported& event, Effects& effects) {
    Trial& trial = known_trial(event.trial);
    CRESCENDO_VALIDATE(event.resource.value > 0, "resource",
                       "trial {} reports at resource {} (a report comes after some training); count from 1",
                       event.trial.value, event.resource.value);
    if (trial.status != TrialStatus::running) {
        return;
    }
    CRESCENDO_VALIDATE(event.resource >= trial.attempted, "resource",
                       "trial {} reports at resource {} after {} (the total cannot decrease); report the total",
                       event.trial.value, event.resource.value, trial.attempted.value);
    trial.attempted = event.resource;
    if (event.resource <= trial.resource) {
        return;
    }

    placement_.note_report(trial, event);
    trial.resource = event.resource;
    trials_.note_report(trial);
    trial.loss = finite_or_worst(event.loss);
    trial.seconds = event.seconds;
    trial.failures_in_a_row = 0;
    trial.is_reforming = false;
    improvement_.note_report(trial);
    if (candidates_.are_trials()) {
        note_value(trial);
    }
    const int rungs_before = trial.rungs_survived;
    const auto verdict = judge(trial, effects);

    if (trial.ended()) {
        // A held trial that had trained ahead to this rung was promoted, and its result decided that this trial lost.
    } else if (verdict == Verdict::complete) {
        stop(trial, StopReason::completed, effects);
    } else if (has_reached_end(trial) || (verdict != Verdict::stop && improvement_.is_over(trial))) {
        if (verdict == Verdict::go_on) {
            scheduler_->finish(trial);
        } else if (verdict == Verdict::pause) {
            scheduler_->withdraw(trial);
        }
        stop(trial, has_reached_end(trial) ? StopReason::reached : StopReason::no_progress, effects);
    } else if (candidates_.are_trials() && is_target_met_) {
        stop(trial, StopReason::swept, effects);
    } else if (verdict == Verdict::stop) {
        stop(trial, StopReason::judged, effects);
    } else if (verdict == Verdict::pause) {
        pause(trial, TrialStatus::paused, effects);
    } else if (deadline_is_near_ || trial.is_held) {
        pause(trial, TrialStatus::waiting, effects);
    } else {
        go_on(trial, trial.rungs_survived > rungs_before, effects);
    }
    if (candidates_.are_trials() && !trial.ended()) {
        proposals_.tell(trial);
    }
}

void Sweep::handle(const TrialTimed& event, Effects& effects) {
    Trial& trial = known_trial(event.trial);
    const bool may_grow = spec_.scheduler.grows_early() && trial.status == TrialStatus::running &&
                          trial.resource.value == 0 && trial.group.generation == event.generation;
    if (may_grow && placement_.note_start(trial, event)) {
        go_on(trial, /*at_milestone=*/false, effects);
    }
}

void Sweep::handle(const TrialRegrouped& event, Effects& effects) {
    Trial& trial = known_trial(event.trial);
    if (trial.status != TrialStatus::running || trial.group.generation != event.generation) {
        return;
    }
    placement_.note_regroup(trial, event);
    if (placement_.grew_in_vain(trial)) {
        go_on(trial, /*at_milestone=*/false, effects);
    }
}

void Sweep::handle(const TrialFinished& event, Effects& effects) {
    Trial& trial = known_trial(event.trial);
    if (trial.status == TrialStatus::running) {
        scheduler_->finish(trial);
        end(trial, StopReason::completed, effects);
    }
}

void Sweep::handle(const TrialFailed& event, Effects& effects) {
    Trial& trial = known_trial(event.trial);
    const auto& slots = trial.group.slots;
    CRESCENDO_VALIDATE(!event.slot || placement_.pool().knows(*event.slot), "slot",
                       "the worker on slot {} failed, but that slot never joined; name a slot of the trial",
                       event.slot->value);
    if (trial.status != TrialStatus::running ||
        (event.slot && std::find(slots.begin(), slots.end(), *event.slot) == slots.end())) {
        return;
    }
    const auto lost = event.slot ? std::set{*event.slot} : std::set(slots.begin(), slots.end());
    if (trial.count_failure(event.kind, spec_.max_retries)) {
        if (event.suspect && std::find(slots.begin(), slots.end(), *event.suspect) != slots.end()) {
            placement_.note_failure(trial, *event.suspect, trial.failures_in_a_row >= spec_.max_retries);
        }
        lose_workers(trial, lost, effects);
        trial.is_reforming = trial.status == TrialStatus::running;
        return;
    }
    if (lost.size() < slots.size()) {
        effects.actions.push_back(StopTrial{trial.id, StopReason::failed});
    }
    scheduler_->fail(trial);
    end(trial, StopReason::failed, effects);
}

void Sweep::handle(const DeadlineNear&, Effects&) { deadline_is_near_ = true; }

void Sweep::handle(const TimeUp&, Effects& effects) {
    time_is_up_ = true;
    end_sweep(FinishReason::time_up, effects);
}

void Sweep::handle(const Cancelled&, Effects& effects) { end_sweep(FinishReason::cancelled, effects); }

void Sweep::handle(const TrialProposed& event, Effects&) {
    CRESCENDO_VALIDATE(event.trial.value >= 0, "trial", "trial {} cannot exist; trials are numbered from 0",
                       event.trial.value);
    auto config = spec_.space.in_order(event.config);
    if (!trials_.has(event.trial)) {
        const auto candidate = spec_.repeat.configuration_of(event.trial);
        const auto first = first_trial_of(candidate);
        CRESCENDO_VALIDATE(event.trial == first, "trial",
                           "trial {} will be a repetition of trial {}, with its configuration; propose a configuration "
                           "for that trial",
                           event.trial.value, first.value);
        proposals_.add(candidate, {std::move(config), event.origin.value_or(Origin::enqueued)});
        return;
    }
    if (!trials_[event.trial].is_proposed) {
        proposals_.tell(candidates_.propose(trials_, event.trial, config, event.origin));
    }
}

void Sweep::require_valid(const LimitsChanged& event) const {
    CRESCENDO_VALIDATE(
        event.limits.run_cap == spec_.run_cap || spec_.scheduler.kind != SchedulerKind::successive_halving, "run_cap",
        "successive_halving halves the {} trials that it started with, so their number cannot change; start a new "
        "sweep, with type: hyperband if it should be extendable",
        *spec_.run_cap);
    validate(with_limits(spec_, event.limits));
}

void Sweep::handle(const LimitsChanged& event, Effects& effects) {
    require_valid(event);
    spec_ = with_limits(spec_, event.limits);
    time_is_up_ = !event.has_time_left;
    placement_.change_max_concurrent(spec_.scheduler.max_concurrent);
    scheduler_->change_run_cap(spec_.run_cap, trials_.size());
    proposals_.begin_again();
    is_target_met_ = false;
    if (over() && may_go_on() && is_below_cap()) {
        open_again();
    } else if (!over() && meets_target()) {
        end_sweep(FinishReason::target_reached, effects);
    }
}

void Sweep::require_valid(const TrialRetried& event) const {
    const Trial& trial = known_trial(event.trial);
    CRESCENDO_VALIDATE(trial.status == TrialStatus::failed, "trial",
                       "trial {} is {} (only a failed trial can be retried); name a failed one", trial.id.value,
                       to_string(trial.status));
    CRESCENDO_VALIDATE(scheduler_->can_retry(trial), "trial",
                       "trial {} cannot be retried (its rung was ranked without it, and the other trials continued or "
                       "were stopped); raise run_cap to train more trials",
                       trial.id.value);
    CRESCENDO_VALIDATE(!over() || may_go_on(), "trial",
                       "trial {} cannot be retried (the sweep is over: it was cancelled, ran out of time or reached "
                       "its target); raise the budget first",
                       trial.id.value);
}

void Sweep::handle(const TrialRetried& event, Effects&) {
    require_valid(event);
    Trial& trial = trials_[event.trial];
    open_again();
    scheduler_->retry(trial);
    trials_.retry(trial);
    placement_.enter_line(trial);
    if (const Trial* candidate = candidates_.retry(trial)) {
        proposals_.tell(*candidate);
    }
}

/// Also stops the other repetitions of its configuration. Paused ones are stopped first: they wait at a rung to which
/// the others still train, and which is then never decided.
void Sweep::handle(const TrialStopped& event, Effects& effects) {
    if (known_trial(event.trial).ended()) {
        return;
    }
    for (const bool are_paused : {true, false}) {
        for (auto& trial : candidates_.repetitions(trials_, event.trial)) {
            if ((trial.status == TrialStatus::paused) == are_paused) {
                stop_by_request(trial, StopReason::requested, effects);
            }
        }
    }
}

/// Other repetitions of the trial's configuration continue.
void Sweep::handle(const TrialTimeUp& event, Effects& effects) {
    stop_by_request(known_trial(event.trial), StopReason::timed_out, effects);
}

void Sweep::stop_by_request(Trial& trial, StopReason reason, Effects& effects) {
    if (trial.ended()) {
        return;
    }
    if (trial.status == TrialStatus::paused) {
        scheduler_->withdraw(trial);
    } else {
        scheduler_->finish(trial);
    }
    if (trial.status == TrialStatus::running) {
        stop(trial, reason, effects);
    } else {
        end(trial, reason, effects);
    }
}

void Sweep::handle(const TrialHeld& event, Effects& effects) {
    Trial& trial = known_trial(event.trial);
    if (trial.ended() || trial.is_held) {
        return;
    }
    trials_.set_held(trial, true);
    if (trial.status == TrialStatus::waiting) {
        placement_.leave_line(trial);
        trials_.transition(trial, TrialStatus::held);
    } else if (trial.status == TrialStatus::running && event.at == HoldAt::once) {
        pause(trial, TrialStatus::held, effects);
    }
}

void Sweep::handle(const TrialReleased& event, Effects&) {
    Trial& trial = known_trial(event.trial);
    trials_.set_held(trial, false);
    if (trial.status == TrialStatus::held) {
        trials_.transition(trial, TrialStatus::waiting);
        placement_.enter_line(trial);
    }
}

void Sweep::handle(const ProposalsEnded&, Effects&) { proposals_.end(); }

bool Sweep::meets_target() const {
    const auto best_trial = best();
    return best_trial && meets(spec_.target, *candidate_of(*best_trial).loss);
}

/// Whether a trial that has just reported has met its own end (TrialEnd), although it could train further.
inline bool Sweep::has_reached_end(const Trial& trial) const {
    const auto& [target, seconds] = spec_.trial_end;
    return meets(target, *trial.loss) || (seconds && trial.seconds.value_or(0) >= *seconds);
}

/// Whether an ended sweep, once it reopens, would not end again at once.
bool Sweep::may_go_on() const { return finish_reason_ != FinishReason::cancelled && !time_is_up_ && !meets_target(); }

inline const Trial& Sweep::known_trial(TrialId id) const {
    CRESCENDO_VALIDATE(trials_.has(id), "trial",
                       "trial {} is unknown (the sweep has started {}); use the id that it got at its start", id.value,
                       trials_.size());
    return trials_[id];
}

/// Adds the other repetitions of a configuration whose first one has just started.
void Sweep::start_repetitions(TrialId first) {
    for (int i = 1; i < spec_.repeat.times; ++i) {
        Trial next;
        next.id = TrialId{trials_.size()};
        next.status = TrialStatus::waiting;
        next.config = trials_[first].config;
        next.origin = trials_[first].origin;
        next.is_proposed = trials_[first].is_proposed;
        next.group.generation = -1;  // its first group is still to come
        Trial& trial = trials_.add(std::move(next));
        trial.bracket = scheduler_->begin(trial.id);
        set_rungs(trial, 0);
        placement_.enter_line(trial);
    }
}

/// Takes the losses by which the scheduler has judged configurations.
inline void Sweep::note_judgements() {
    if (candidates_.are_trials()) {
        return;
    }
    for (const auto& judged : scheduler_->take_judged()) {
        const Trial& configuration = candidates_.judge(judged);
        note_value(configuration);
        proposals_.tell(configuration);
    }
}

/// A candidate has a new loss.
inline void Sweep::note_value(const Trial& candidate) {
    improvement_.note_value(candidate);
    is_target_met_ = is_target_met_ || meets(spec_.target, *candidate.loss);
}

Trial& Sweep::known_trial(TrialId id) {
    return const_cast<Trial&>(std::as_const(*this).known_trial(id));
}

/// Judges a trial's report. A trial that would be resumed at once is promoted in place, and keeps its slots.
inline Verdict Sweep::judge(Trial& trial, Effects& effects) {
    auto judgement = scheduler_->report(trial);
    note_judgements();
    set_rungs(trial, judgement.rungs_survived);
    promote_held(effects);
    while (!trial.ended() && judgement.verdict == Verdict::pause && is_promoted_in_place(trial)) {
        scheduler_->promote();
        set_rungs(trial, trial.rungs_survived + 1);
        judgement = scheduler_->report(trial);
        set_rungs(trial, judgement.rungs_survived);
        promote_held(effects);
    }
    return judgement.verdict;
}

bool Sweep::is_promoted_in_place(const Trial& trial) const {
    return scheduler_->promotable() == trial.id && placement_.would_be_next(trial, prospects());
}

/// Promotes the paused trial that the scheduler names. Returns whether it continues. If it has already trained to its
/// next milestone, it is paused there, or ends.
bool Sweep::promote(Trial& trial, Effects& effects) {
    scheduler_->promote();
    set_rungs(trial, trial.rungs_survived + 1);
    const auto judgement = scheduler_->report(trial);
    note_judgements();
    set_rungs(trial, judgement.rungs_survived);
    const bool continues = judgement.verdict == Verdict::go_on;
    if (!continues && judgement.verdict != Verdict::pause) {
        end(trial, judgement.verdict == Verdict::complete ? StopReason::completed : StopReason::judged, effects);
    }
    end_eliminated(effects);
    return continues;
}

/// Promotes held trials without slots, so that others of the same rung can be promoted after them.
inline void Sweep::promote_held(Effects& effects) {
    if (!trials_.has_held()) {
        return;  // the fast path of nearly every report
    }
    for (auto next = scheduler_->promotable(); next; next = scheduler_->promotable()) {
        Trial& trial = trials_[*next];
        if (!trial.is_held || trial.status != TrialStatus::paused) {
            return;
        }
        if (promote(trial, effects)) {
            trials_.transition(trial, TrialStatus::held);
        }
    }
}

inline void Sweep::set_rungs(Trial& trial, int rungs_survived) const {
    trial.rungs_survived = rungs_survived;
    trial.target_workers = placement_.target_workers(rungs_survived);
}

/// Gives out the free slots.
inline void Sweep::allocate(Effects& effects) {
    proposals_.ask_again();  // the sampler may have learned from the event
    if (deadline_is_near_) {
        return;
    }
    if (spec_.scheduler.priority == Priority::starts_first) {
        while (start_next(effects)) {}
    }
    while (resume_next(effects)) {}
    const bool collects_slots = spec_.scheduler.grow == GrowPolicy::wait;
    while (!(collects_slots && placement_.next_in_line(prospects())) && start_next(effects)) {
        while (!candidates_.are_trials() && resume_next(effects)) {}
    }
    while (!(collects_slots && placement_.next_in_line(prospects())) && resume_reluctant(effects)) {}
}

bool Sweep::resume_next(Effects& effects) {
    if (!placement_.can_place()) {
        return false;
    }
    const auto next = placement_.next_in_line(prospects());
    if (!next) {
        return false;
    }
    Trial& trial = trials_[next->trial];
    if (!placement_.take_slots(trial, next->rungs_survived)) {
        return false;
    }
    if (trial.status == TrialStatus::waiting) {
        placement_.leave_line(trial);
    } else {
        const bool continues = promote(trial, effects);
        promote_held(effects);
        if (!continues) {
            placement_.return_slots(trial);
            return true;
        }
    }
    resume(trial, effects);
    return true;
}

/// Gives a trial slots on which it may have failed before, rather than leave them idle.
bool Sweep::resume_reluctant(Effects& effects) {
    const auto next = placement_.can_place() ? placement_.next_reluctant() : std::nullopt;
    if (!next) {
        return false;
    }
    Trial& trial = trials_[next->trial];
    const int num_reserved = proposals_.awaited() ? placement_.starting_size() : 0;
    if (!placement_.take_slots(trial, trial.rungs_survived, num_reserved)) {
        return false;
    }
    placement_.leave_line(trial);
    resume(trial, effects);
    return true;
}

/// Runs a trial that has been given slots.
void Sweep::resume(Trial& trial, Effects& effects) {
    trials_.transition(trial, TrialStatus::running);
    trial.attempted = Resource{0};
    ++trial.group.generation;
    placement_.note_running(trial);
    if (trial.group.generation == 0) {
        effects.placements.push_back(StartTrial{trial.id, trial.group});
    } else {
        effects.placements.push_back(ResumeTrial{trial.id, trial.group});
    }
}

bool Sweep::start_next(Effects& effects) {
    if (!placement_.can_place() || !can_start()) {
        return false;
    }
    Trial next;
    next.id = next_candidate();
    if (!placement_.take_slots_for_new(next)) {
        return false;
    }
    if (!proposals_.configure(next)) {
        placement_.return_slots(next);
        return false;
    }
    next.id = TrialId{trials_.size()};
    Trial& trial = trials_.add(std::move(next));
    trial.bracket = scheduler_->begin(trial.id);
    set_rungs(trial, 0);
    placement_.note_running(trial);
    effects.placements.push_back(StartTrial{trial.id, trial.group});
    if (candidates_.are_trials()) {
        proposals_.tell(trial);
    } else {
        proposals_.tell(candidates_.begin(trial));
        start_repetitions(trial.id);
    }
    return true;
}

/// Adapts the workers of a trial that continues. A trial that must leave its slots at its next report keeps its workers
/// until then.
void Sweep::go_on(Trial& trial, bool at_milestone, Effects& effects) {
    if (deadline_is_near_ || trial.is_held) {
        return;
    }
    switch (placement_.adapt(trial, at_milestone, prospects())) {
        case GroupChange::none:
            break;
        case GroupChange::regrouped:
            effects.actions.push_back(Regroup{trial.id, trial.group});
            break;
        case GroupChange::leaves:
            pause(trial, TrialStatus::waiting, effects);
            break;
    }
}

/// Lets trials that waited for another trial's try grow now, between their reports. Returns whether there were any:
/// they may have given slots back, or no longer claim any.
inline bool Sweep::grow_waiting(Effects& effects) {
    std::set<InLine> waiting;
    for (const auto id : placement_.take_waiting_to_grow()) {
        waiting.insert({trials_[id].rungs_survived, id});
    }
    for (const auto& next : waiting) {
        go_on(trials_[next.trial], /*at_milestone=*/false, effects);
    }
    return !waiting.empty();
}

/// The trial continues in memory with the workers that it has left. If none is left, it waits to be resumed.
void Sweep::lose_workers(Trial& trial, const std::set<SlotId>& lost, Effects& effects) {
    if (placement_.remove_workers(trial, lost)) {
        effects.actions.push_back(Regroup{trial.id, trial.group});
    } else {
        suspend(trial, TrialStatus::waiting);
    }
}

void Sweep::pause(Trial& trial, TrialStatus how, Effects& effects) {
    effects.actions.push_back(PauseTrial{trial.id});
    suspend(trial, how);
}

/// Takes a trial's slots. A held trial gets the status `held` instead of `waiting`: it does not wait for slots.
void Sweep::suspend(Trial& trial, TrialStatus how) {
    how = how == TrialStatus::waiting && trial.is_held ? TrialStatus::held : how;
    trials_.transition(trial, how);
    placement_.leave(trial);
    if (how == TrialStatus::waiting) {
        placement_.enter_line(trial);
    }
}

void Sweep::stop(Trial& trial, StopReason reason, Effects& effects) {
    effects.actions.reserve(3);  // StopTrial, DropCheckpoint, and the start of another trial on the slots
    effects.actions.push_back(StopTrial{trial.id, reason});
    end(trial, reason, effects);
}

void Sweep::end(Trial& trial, StopReason reason, Effects& effects) {
    const auto before = trial.status;
    trials_.transition(trial, status_after(reason));
    trial.reason = reason;
    placement_.note_end(trial);
    if (before == TrialStatus::running) {
        placement_.leave(trial);
    } else if (before == TrialStatus::waiting) {
        placement_.leave_line(trial);
    }
    note_judgements();
    const Trial* candidate = candidates_.end(trials_, trial);
    if (candidate == nullptr) {
        return;
    }
    if (!candidates_.are_trials() && candidate->loss) {
        note_value(*candidate);
    }
    if (candidate->status != TrialStatus::failed) {  // failed candidates may be retried
        improvement_.note_end(*candidate);
        candidates_.drop_obsolete(trials_, *candidate, effects.actions);
    }
    proposals_.tell(*candidate);
}

void Sweep::end_eliminated(Effects& effects) {
    for (const auto id : scheduler_->take_eliminated()) {
        Trial& trial = trials_[id];
        if (trial.status == TrialStatus::running) {  // it is the one that reports
            stop(trial, StopReason::judged, effects);
        } else {
            end(trial, StopReason::judged, effects);
        }
    }
}

/// Whether trials are paused although, as things are, no report will come any more.
inline bool Sweep::waits_in_vain() const {
    return trials_.count(TrialStatus::paused) > 0 && has_come_to_rest() && !can_start() && !can_promote();
}

/// Ends the last trials that have not ended: paused and held ones.
void Sweep::end_all_idle(StopReason reason, Effects& effects) {
    for (auto& trial : trials_) {
        if (!trial.ended()) {
            end(trial, reason, effects);
        }
    }
    scheduler_->end_all();
}

void Sweep::end_sweep(FinishReason reason, Effects& effects) {
    if (over()) {
        return;
    }
    finish_reason_ = reason;
    for (auto& trial : trials_) {
        if (trial.status == TrialStatus::running) {
            stop(trial, StopReason::swept, effects);
        }
    }
    while (const auto waiting = placement_.first_waiting()) {
        end(trials_[*waiting], StopReason::swept, effects);
    }
    end_all_idle(StopReason::swept, effects);
}

/// Reopens a sweep if it has ended: its target and its patience are checked afresh.
void Sweep::open_again() {
    if (over()) {
        finish_reason_.reset();
        is_target_met_ = false;
        improvement_.begin_again();
    }
}

}  // namespace crescendo
