#include "scheduler/sweep.hpp"

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

Sweep::Sweep(SweepSpec spec) : spec_(valid(std::move(spec))), asha_(spec_.scheduler), allocator_(spec_.scheduler) {}

std::vector<Action> Sweep::apply(const Event& event) {
    const bool was_over = over();
    Effects effects;
    std::visit([&](const auto& kind) { handle(kind, effects); }, event);
    if (was_over) {
        return {};
    }

    if (!over() && num_ended_ == spec_.run_cap) {
        finish_reason_ = FinishReason::all_trials_done;
    }
    for (const auto trial : effects.obsolete) {
        effects.actions.push_back(DropCheckpoint{trial});
    }
    if (over()) {
        effects.actions.push_back(FinishSweep{*finish_reason_, kept_});
    } else {
        allocate(effects.actions);
    }
    return std::move(effects.actions);
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
    return rungs()[static_cast<std::size_t>(trial(id).rungs_survived)].milestone();
}

void Sweep::handle(const SlotsJoined& event, Effects&) {
    std::set<SlotId> joining;
    for (const auto& slot : event.slots) {
        CRESCENDO_VALIDATE(
            !allocator_.pool().has(slot.id) && joining.insert(slot.id).second, "slots",
            "slot {} joins, but is there already (it can run one worker only); give each slot its own id",
            slot.id.value);
    }
    allocator_.join(event.slots);
}

void Sweep::handle(const SlotsLost& event, Effects&) {
    std::set<SlotId> lost;
    for (const auto slot : event.slots) {
        CRESCENDO_VALIDATE(allocator_.pool().knows(slot), "slots",
                           "slot {} is lost, but never joined; send slots_joined first", slot.value);
        if (allocator_.pool().has(slot)) {
            lost.insert(slot);
        }
    }
    const auto running = running_;
    for (const auto id : running) {
        Trial& trial = known_trial(id);
        if (std::any_of(trial.group.slots.begin(), trial.group.slots.end(),
                        [&](SlotId slot) { return lost.contains(slot); })) {
            suspend(trial);
        }
    }
    allocator_.lose({lost.begin(), lost.end()});
}

void Sweep::handle(const TrialReported& event, Effects& effects) {
    Trial& trial = known_trial(event.trial);
    CRESCENDO_VALIDATE(event.resource.value > 0, "resource",
                       "trial {} reports at resource {} (what it consumed so far cannot be nothing); count from 1",
                       event.trial.value, event.resource.value);
    if (trial.status != TrialStatus::running || event.resource <= trial.resource) {
        return;
    }

    trial.resource = event.resource;
    trial.loss = finite_or_worst(event.loss);
    const auto judgement = asha_.report(trial.id, trial.rungs_survived, trial.resource, *trial.loss);
    trial.rungs_survived = judgement.rungs_survived;
    trial.target_workers = allocator_.target_workers(trial.rungs_survived);
    const bool target_met = spec_.target && *trial.loss <= to_loss(spec_.goal, *spec_.target);

    if (judgement.verdict == Verdict::complete) {
        stop(trial, StopReason::completed, effects);
    } else if (target_met) {
        stop(trial, StopReason::swept, effects);
    } else if (judgement.verdict == Verdict::stop) {
        stop(trial, StopReason::judged, effects);
    } else {
        go_on(trial, effects);
    }
    if (target_met) {
        end_sweep(FinishReason::target_reached, effects);
    }
}

void Sweep::handle(const TrialFinished& event, Effects& effects) {
    Trial& trial = known_trial(event.trial);
    if (trial.status == TrialStatus::running) {
        end(trial, TrialStatus::finished, effects);
    }
}

void Sweep::handle(const TrialFailed& event, Effects& effects) {
    Trial& trial = known_trial(event.trial);
    if (trial.status != TrialStatus::running) {
        return;
    }
    if (++trial.failures <= spec_.max_retries) {
        suspend(trial);
        return;
    }
    asha_.fail(trial.id, trial.rungs_survived);
    ++num_failed_;
    end(trial, TrialStatus::failed, effects);
}

void Sweep::handle(const TimeUp&, Effects& effects) { end_sweep(FinishReason::time_up, effects); }

void Sweep::handle(const Cancelled&, Effects& effects) { end_sweep(FinishReason::cancelled, effects); }

Trial& Sweep::known_trial(TrialId id) {
    CRESCENDO_VALIDATE(id.value >= 0 && static_cast<std::size_t>(id.value) < trials_.size(), "trial",
                       "trial {} is unknown (the sweep has started {}); use the id that its start gave", id.value,
                       trials_.size());
    return trials_[static_cast<std::size_t>(id.value)];
}

void Sweep::go_on(Trial& trial, Effects& effects) {
    const bool grew = allocator_.grow(trial.group.slots, trial.rungs_survived);
    update_batch(trial);
    if (grew) {
        ++trial.group.generation;
        effects.actions.push_back(Regroup{trial.id, trial.group});
    }
}

void Sweep::stop(Trial& trial, StopReason reason, Effects& effects) {
    effects.actions.push_back(StopTrial{trial.id, reason});
    end(trial, reason == StopReason::completed ? TrialStatus::finished : TrialStatus::stopped, effects);
}

void Sweep::end(Trial& trial, TrialStatus how, Effects& effects) {
    if (trial.status == TrialStatus::running) {
        leave_group(trial);
    } else {
        waiting_.erase(waiting_order(trial));
    }
    trial.transition(how);
    ++num_ended_;
    keep_best_checkpoint(trial, effects);
}

void Sweep::end_sweep(FinishReason reason, Effects& effects) {
    if (over()) {
        return;
    }
    finish_reason_ = reason;
    const auto running = running_;
    for (const auto id : running) {
        stop(known_trial(id), StopReason::swept, effects);
    }
    const auto waiting = waiting_;
    for (const auto& [rungs, id] : waiting) {
        end(known_trial(id), TrialStatus::stopped, effects);
    }
}

void Sweep::suspend(Trial& trial) {
    leave_group(trial);
    trial.transition(TrialStatus::waiting);
    waiting_.insert(waiting_order(trial));
}

void Sweep::leave_group(Trial& trial) {
    allocator_.release(trial.group.slots);
    trial.group.slots.clear();
    running_.erase(trial.id);
}

void Sweep::keep_best_checkpoint(const Trial& trial, Effects& effects) {
    const bool can_win = trial.status != TrialStatus::failed && has_finite_loss(trial);
    if (!can_win || (kept_ && is_better(this->trial(*kept_), trial))) {
        effects.obsolete.push_back(trial.id);
        return;
    }
    if (kept_) {
        effects.obsolete.push_back(*kept_);
    }
    kept_ = trial.id;
}

void Sweep::allocate(std::vector<Action>& actions) {
    while (resume_next(actions)) {}
    while (start_next(actions)) {}
}

/// The least that a waiting or a new trial takes is the same for all: where the first finds no place, none does.
bool Sweep::resume_next(std::vector<Action>& actions) {
    if (waiting_.empty()) {
        return false;
    }
    Trial& trial = known_trial(waiting_.begin()->second);
    if (!allocator_.grow(trial.group.slots, trial.rungs_survived)) {
        return false;
    }
    waiting_.erase(waiting_.begin());
    trial.transition(TrialStatus::running);
    running_.insert(trial.id);
    ++trial.group.generation;
    update_batch(trial);
    actions.push_back(ResumeTrial{trial.id, trial.group});
    return true;
}

bool Sweep::start_next(std::vector<Action>& actions) {
    const auto num_trials = static_cast<int>(trials_.size());
    std::vector<SlotId> slots;
    if (num_trials == spec_.run_cap || !allocator_.grow(slots, 0)) {
        return false;
    }
    Trial& trial = trials_.emplace_back();
    trial.id = TrialId{num_trials};
    trial.config = spec_.space.sample(spec_.seed, trial.id);
    trial.group.slots = std::move(slots);
    trial.target_workers = allocator_.target_workers(0);
    running_.insert(trial.id);
    update_batch(trial);
    actions.push_back(StartTrial{trial.id, trial.group});
    return true;
}

void Sweep::update_batch(Trial& trial) const {
    switch (spec_.scheduler.batch) {
        case BatchPolicy::ladder:
            trial.group.batch_multiple = trial.target_workers;
            break;
        case BatchPolicy::per_worker:
            trial.group.batch_multiple = static_cast<int>(trial.group.slots.size());
            break;
        case BatchPolicy::global:
            trial.group.batch_multiple = 1;
            break;
    }
}

}  // namespace crescendo
