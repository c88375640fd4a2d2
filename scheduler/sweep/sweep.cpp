#include "scheduler/sweep/sweep.hpp"

#include <algorithm>
#include <tuple>

#include "core/check.hpp"
#include "scheduler/loss.hpp"

namespace crescendo {
namespace {

SweepSpec valid(SweepSpec spec) {
    validate(spec);
    return spec;
}

bool has_finite_loss(const Trial& trial) { return trial.loss.value_or(worst_loss) < worst_loss; }

/// Both have reported.
bool is_better(const Trial& a, const Trial& b) { return std::tie(*a.loss, a.id) < std::tie(*b.loss, b.id); }

}  // namespace

Sweep::Sweep(SweepSpec spec) : spec_(valid(std::move(spec))), scheduler_(spec_), allocator_(spec_.scheduler) {}

std::vector<Action> Sweep::apply(const Event& event) {
    const bool was_over = over();
    Effects effects;
    std::visit([&](const auto& kind) { handle(kind, effects); }, event);
    if (was_over && over()) {
        return {};
    }

    if (!over()) {
        end_eliminated(effects);
        allocate(effects);
        end_paused(effects);
    }
    if (!over() && !can_start() && num_ended_ == static_cast<int>(trials_.size())) {
        finish_reason_ = FinishReason::all_trials_done;
    }
    auto& actions = effects.actions;
    for (const auto trial : effects.obsolete) {
        actions.push_back(DropCheckpoint{trial});
    }
    actions.insert(actions.end(), effects.placements.begin(), effects.placements.end());
    if (over()) {
        actions.push_back(FinishSweep{*finish_reason_, kept_});
    }
    return std::move(actions);
}

SweepState Sweep::state() const {
    if (!over()) {
        return SweepState::running;
    }
    const bool all_failed = num_failed_ > 0 && num_failed_ == static_cast<int>(trials_.size());
    return all_failed ? SweepState::failed : SweepState::finished;
}

const Trial& Sweep::trial(TrialId id) const {
    CRESCENDO_EXPECT(id.value >= 0 && static_cast<std::size_t>(id.value) < trials_.size());
    return trials_[static_cast<std::size_t>(id.value)];
}

std::optional<TrialId> Sweep::best() const {
    if (over()) {
        return kept_;  // of the trials that ended, and now all have
    }
    const Trial* best = nullptr;
    for (const auto& trial : trials_) {
        if (trial.status != TrialStatus::failed && has_finite_loss(trial) &&
            (best == nullptr || is_better(trial, *best))) {
            best = &trial;
        }
    }
    return best == nullptr ? std::nullopt : std::optional(best->id);
}

Resource Sweep::next_milestone(TrialId id) const {
    return scheduler_->next_milestone(trial(id).bracket, trial(id).rungs_survived);
}

void Sweep::handle(const SlotsJoined& event, Effects&) {
    std::set<SlotId> joining;
    for (const auto& slot : event.slots) {
        CRESCENDO_VALIDATE(
            !allocator_.pool().has(slot.id) && joining.insert(slot.id).second, "slots",
            "slot {} joins, but is there already (it can run one worker only); give each slot its own id",
            slot.id.value);
    }
    deadline_is_near_ = deadline_is_near_ && allocator_.pool().size() > 0;
    allocator_.join(event.slots);
    recount_missing();
}

void Sweep::handle(const SlotsLost& event, Effects& effects) {
    std::set<SlotId> lost;
    for (const auto slot : event.slots) {
        CRESCENDO_VALIDATE(allocator_.pool().knows(slot), "slots",
                           "slot {} is lost, but never joined; send slots_joined first", slot.value);
        if (allocator_.pool().has(slot)) {
            lost.insert(slot);
        }
    }
    for (auto& trial : trials_) {
        if (std::any_of(trial.group.slots.begin(), trial.group.slots.end(),
                        [&](SlotId slot) { return lost.contains(slot); })) {
            count_out(trial);
            lose_workers(trial, lost, effects);
        }
    }
    allocator_.lose({lost.begin(), lost.end()});
    recount_missing();
}

void Sweep::handle(const TrialReported& event, Effects& effects) {
    Trial& trial = known_trial(event.trial);
    CRESCENDO_VALIDATE(event.resource.value > 0, "resource",
                       "trial {} reports at resource {} (what it consumed so far cannot be nothing); count from 1",
                       event.trial.value, event.resource.value);
    if (trial.status != TrialStatus::running) {
        return;
    }
    CRESCENDO_VALIDATE(
        event.resource >= trial.attempted, "resource",
        "trial {} reports at resource {} after {} (what it consumed cannot become less); report the total",
        event.trial.value, event.resource.value, trial.attempted.value);
    trial.attempted = event.resource;
    if (event.resource <= trial.resource) {
        return;
    }

    count_out(trial);
    trial.resource = event.resource;
    trial.loss = finite_or_worst(event.loss);
    trial.failures_in_a_row = 0;
    trial.is_reforming = false;
    const int rungs_before = trial.rungs_survived;
    const auto verdict = judge(trial);
    const bool target_met = spec_.target && *trial.loss <= to_loss(spec_.goal, *spec_.target);

    if (verdict == Verdict::complete) {
        stop(trial, StopReason::completed, effects);
    } else if (target_met) {
        stop(trial, StopReason::swept, effects);
    } else if (verdict == Verdict::stop) {
        stop(trial, StopReason::judged, effects);
    } else if (verdict == Verdict::pause) {
        pause(trial, TrialStatus::paused, effects);
    } else if (deadline_is_near_) {
        pause(trial, TrialStatus::waiting, effects);
    } else {
        go_on(trial, trial.rungs_survived > rungs_before, effects);
    }
    if (target_met) {
        end_sweep(FinishReason::target_reached, effects);
    }
}

void Sweep::handle(const TrialFinished& event, Effects& effects) {
    Trial& trial = known_trial(event.trial);
    if (trial.status == TrialStatus::running) {
        count_out(trial);
        scheduler_->finish(trial);
        end(trial, TrialStatus::finished, effects);
    }
}

void Sweep::handle(const TrialFailed& event, Effects& effects) {
    Trial& trial = known_trial(event.trial);
    const auto& slots = trial.group.slots;
    CRESCENDO_VALIDATE(!event.slot || allocator_.pool().knows(*event.slot), "slot",
                       "the worker on slot {} failed, but that slot never joined; name a slot of the trial",
                       event.slot->value);
    if (trial.status != TrialStatus::running ||
        (event.slot && std::find(slots.begin(), slots.end(), *event.slot) == slots.end())) {
        return;
    }
    count_out(trial);
    const auto lost = event.slot ? std::set{*event.slot} : std::set(slots.begin(), slots.end());
    if (count_failure(trial, event.kind)) {
        lose_workers(trial, lost, effects);
        trial.is_reforming = trial.status == TrialStatus::running;
        return;
    }
    if (lost.size() < slots.size()) {
        effects.actions.push_back(StopTrial{trial.id, StopReason::failed});
    }
    scheduler_->fail(trial);
    ++num_failed_;
    end(trial, TrialStatus::failed, effects);
}

/// What strikes one member of a group often strikes the others in the same step: until the trial has reported again, or
/// has nobody left, it is one failure. Returns whether the trial is worth another attempt.
bool Sweep::count_failure(Trial& trial, FailureKind kind) const {
    if (trial.is_reforming) {
        return true;
    }
    ++trial.failures;
    ++trial.failures_in_a_row;
    if (kind == FailureKind::out_of_memory) {
        constexpr int most = 1 << 20;  // no worker takes a million samples at a time
        trial.group.accumulation = std::min(2 * trial.group.accumulation, most);
    }
    return kind != FailureKind::repeated_error && trial.failures_in_a_row <= spec_.max_retries;
}

void Sweep::handle(const DeadlineNear&, Effects&) { deadline_is_near_ = true; }

void Sweep::handle(const TimeUp&, Effects& effects) {
    time_is_up_ = true;
    end_sweep(FinishReason::time_up, effects);
}

void Sweep::handle(const Cancelled&, Effects& effects) { end_sweep(FinishReason::cancelled, effects); }

void Sweep::handle(const TrialProposed& event, Effects&) {
    CRESCENDO_VALIDATE(event.trial.value >= 0, "trial", "trial {} cannot be; trials count from 0", event.trial.value);
    auto config = complete(event.config);
    if (static_cast<std::size_t>(event.trial.value) >= trials_.size()) {
        proposals_.try_emplace(event.trial, std::move(config));
    } else if (Trial& trial = known_trial(event.trial); !trial.is_proposed) {
        trial.config = std::move(config);
        trial.is_proposed = true;
    }
}

/// The proposal with its values in the order of the sweep's parameters.
Config Sweep::complete(const Config& proposal) const {
    const auto& parameters = spec_.space.parameters();
    Config config;
    config.reserve(parameters.size());
    for (std::size_t i = 0; i < parameters.size(); ++i) {
        const auto has_name = [&](const auto& value) { return value.first == parameters[i].name; };
        const bool is_in_place = i < proposal.size() && has_name(proposal[i]);
        const auto found = is_in_place ? proposal.begin() + static_cast<std::ptrdiff_t>(i)
                                       : std::find_if(proposal.begin(), proposal.end(), has_name);
        CRESCENDO_VALIDATE(found != proposal.end(), "config",
                           "a configuration lacks the parameter {} (a trial has a value of each); add it",
                           parameters[i].name);
        config.push_back(*found);
    }
    CRESCENDO_VALIDATE(proposal.size() == parameters.size(), "config",
                       "a configuration has {} values and the sweep {} parameters; leave out what is no parameter",
                       proposal.size(), parameters.size());
    return config;
}

void Sweep::handle(const LimitsChanged& event, Effects& effects) {
    CRESCENDO_VALIDATE(
        event.limits.run_cap == spec_.run_cap || spec_.scheduler.kind != SchedulerKind::successive_halving, "run_cap",
        "successive_halving halves the {} trials that it began with, and more or fewer would be another sweep; start "
        "a new one, or use type: hyperband there, which can be extended",
        *spec_.run_cap);
    auto spec = with_limits(spec_, event.limits);
    validate(spec);
    spec_ = std::move(spec);
    time_is_up_ = !event.has_time_left;
    scheduler_->change_run_cap(spec_.run_cap, static_cast<int>(trials_.size()));
    if (over() && may_go_on() && can_start()) {
        finish_reason_.reset();
    } else if (!over() && meets_target()) {
        end_sweep(FinishReason::target_reached, effects);
    }
}

void Sweep::handle(const TrialRetried& event, Effects&) {
    Trial& trial = known_trial(event.trial);
    CRESCENDO_VALIDATE(trial.status == TrialStatus::failed, "trial",
                       "trial {} is {} (only a trial that failed can be tried again); name one that failed",
                       trial.id.value, to_string(trial.status));
    CRESCENDO_VALIDATE(scheduler_->can_retry(trial), "trial",
                       "trial {} cannot be tried again (the trials of its rung were ranked without it, and the others "
                       "went on or were stopped); raise run_cap to train further trials",
                       trial.id.value);
    CRESCENDO_VALIDATE(!over() || may_go_on(), "trial",
                       "trial {} cannot be tried again (the sweep is over: it was cancelled, its time is spent or its "
                       "target reached); raise the budget first",
                       trial.id.value);
    finish_reason_.reset();
    scheduler_->retry(trial);
    trial.retry();
    waiting_.insert(waiting_order(trial));
    --num_failed_;
    --num_ended_;
}

bool Sweep::meets_target() const {
    const auto best_trial = best();
    return spec_.target && best_trial && *trial(*best_trial).loss <= to_loss(spec_.goal, *spec_.target);
}

/// Whether a sweep that ended would not end again at once, if it had something to do.
bool Sweep::may_go_on() const { return finish_reason_ != FinishReason::cancelled && !time_is_up_ && !meets_target(); }

Trial& Sweep::known_trial(TrialId id) {
    CRESCENDO_VALIDATE(id.value >= 0 && static_cast<std::size_t>(id.value) < trials_.size(), "trial",
                       "trial {} is unknown (the sweep has started {}); use the id that its start gave", id.value,
                       trials_.size());
    return trials_[static_cast<std::size_t>(id.value)];
}

/// A trial that would be resumed at once does not leave its slots first.
Verdict Sweep::judge(Trial& trial) {
    auto judgement = scheduler_->report(trial);
    survive(trial, judgement.rungs_survived);
    while (judgement.verdict == Verdict::pause && is_promoted_in_place(trial)) {
        scheduler_->promote();
        survive(trial, trial.rungs_survived + 1);
        judgement = scheduler_->report(trial);
        survive(trial, judgement.rungs_survived);
    }
    return judgement.verdict;
}

bool Sweep::is_promoted_in_place(const Trial& trial) const {
    const bool new_trials_first = spec_.scheduler.priority == Priority::starts_first && can_start();
    return scheduler_->promotable() == trial.id && !new_trials_first &&
           (waiting_.empty() || promotion_order(trial) < *waiting_.begin());
}

void Sweep::survive(Trial& trial, int rungs_survived) const {
    trial.rungs_survived = rungs_survived;
    trial.target_workers = allocator_.target_workers(rungs_survived);
}

void Sweep::pause(Trial& trial, TrialStatus how, Effects& effects) {
    effects.actions.push_back(PauseTrial{trial.id});
    suspend(trial, how);
}

void Sweep::stop(Trial& trial, StopReason reason, Effects& effects) {
    effects.actions.push_back(StopTrial{trial.id, reason});
    end(trial, reason == StopReason::completed ? TrialStatus::finished : TrialStatus::stopped, effects);
}

void Sweep::end(Trial& trial, TrialStatus how, Effects& effects) {
    if (trial.status == TrialStatus::running) {
        leave_group(trial);
    } else if (trial.status == TrialStatus::waiting) {
        waiting_.erase(waiting_order(trial));
    } else {
        --num_paused_;
    }
    trial.transition(how);
    ++num_ended_;
    if (how != TrialStatus::failed) {  // which may be tried again
        keep_best_checkpoint(trial, effects);
    }
}

void Sweep::end_eliminated(Effects& effects) {
    for (const auto id : scheduler_->take_eliminated()) {
        end(known_trial(id), TrialStatus::stopped, effects);
    }
}

/// Once nothing will be reported any more, nobody else will be promoted.
void Sweep::end_paused(Effects& effects) {
    if (num_paused_ == 0 || num_running_ > 0 || !waiting_.empty() || can_start() || can_promote()) {
        return;
    }
    end_all_paused(effects);
}

/// The last trials that have not ended.
void Sweep::end_all_paused(Effects& effects) {
    for (auto& trial : trials_) {
        if (trial.status == TrialStatus::paused) {
            end(trial, TrialStatus::stopped, effects);
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
            count_out(trial);
            stop(trial, StopReason::swept, effects);
        }
    }
    while (!waiting_.empty()) {
        end(known_trial(waiting_.begin()->second), TrialStatus::stopped, effects);
    }
    end_all_paused(effects);
}

void Sweep::keep_best_checkpoint(const Trial& trial, Effects& effects) {
    if (!has_finite_loss(trial) || (kept_ && is_better(this->trial(*kept_), trial))) {
        effects.obsolete.push_back(trial.id);
        return;
    }
    if (kept_) {
        effects.obsolete.push_back(*kept_);
    }
    kept_ = trial.id;
}

}  // namespace crescendo
