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

Sweep::Sweep(SweepSpec spec) : spec_(valid(std::move(spec))), scheduler_(spec_), allocator_(spec_.scheduler) {}

std::vector<Action> Sweep::apply(const Event& event) {
    const bool was_over = over();
    Effects effects;
    std::visit([&](const auto& kind) { handle(kind, effects); }, event);
    if (was_over) {
        return {};
    }

    if (!over()) {
        end_eliminated(effects);
        allocate(effects);
        end_paused(effects);
    }
    if (!over() && num_ended_ == spec_.run_cap) {
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
    allocator_.join(event.slots);
    recount_missing();
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
    for (auto& trial : trials_) {
        if (std::any_of(trial.group.slots.begin(), trial.group.slots.end(),
                        [&](SlotId slot) { return lost.contains(slot); })) {
            count_out(trial);
            suspend(trial, TrialStatus::waiting);
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
        event.resource >= trial.repeated, "resource",
        "trial {} reports at resource {} after {} (what it consumed cannot become less); report the total",
        event.trial.value, event.resource.value, trial.repeated.value);
    trial.repeated = event.resource;
    if (event.resource <= trial.resource) {
        return;
    }

    count_out(trial);
    trial.resource = event.resource;
    trial.loss = finite_or_worst(event.loss);
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
    if (trial.status != TrialStatus::running) {
        return;
    }
    count_out(trial);
    if (++trial.failures <= spec_.max_retries) {
        suspend(trial, TrialStatus::waiting);
        return;
    }
    scheduler_->fail(trial);
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
    keep_best_checkpoint(trial, effects);
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
    for (auto& trial : trials_) {
        if (trial.status == TrialStatus::paused) {
            end(trial, TrialStatus::stopped, effects);
        }
    }
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
    for (auto& trial : trials_) {
        if (trial.status == TrialStatus::paused) {
            end(trial, TrialStatus::stopped, effects);
        }
    }
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

void Sweep::go_on(Trial& trial, bool at_milestone, Effects& effects) {
    const bool is_regrouped = give_back(trial) || grow(trial) || add_surplus(trial);
    // Only at a milestone is there a checkpoint to pause with.
    if (spec_.scheduler.grow == GrowPolicy::wait && at_milestone && size_of(trial) < full_size(trial)) {
        pause(trial, TrialStatus::waiting, effects);
        return;
    }
    update_batch(trial);
    if (is_regrouped) {
        ++trial.group.generation;
        effects.actions.push_back(Regroup{trial.id, trial.group});
    }
    count_in(trial);
}

bool Sweep::grow(Trial& trial) {
    const auto next = next_in_line();
    const bool others_first = spec_.scheduler.grow == GrowPolicy::wait && next && *next < waiting_order(trial);
    return !others_first && allocator_.grow(trial.group.slots, trial.rungs_survived);
}

/// Whoever could not run otherwise gets the surplus of a group; a trial that survived as many rungs gets all that is
/// more than a trial starts with. No more is given back than that takes, in steps of the ladder.
bool Sweep::give_back(Trial& trial) {
    const auto& spec = spec_.scheduler;
    if (spec.shrink == Switch::off || size_of(trial) <= allocator_.starting_size() || !may_run_another()) {
        return false;
    }
    const bool new_trials_first = spec.priority == Priority::starts_first && can_start();
    const auto next = new_trials_first ? std::nullopt : next_in_line();
    if (!next && !can_start()) {
        return false;
    }
    const bool is_as_promising = next && -next->first >= trial.rungs_survived;
    const int floor = is_as_promising ? allocator_.starting_size() : std::min(trial.target_workers, size_of(trial));
    const int num_wanted = allocator_.starting_size() - (next ? allocator_.pool().num_free() : num_for_new_trials());
    int size = size_of(trial);
    while (size_of(trial) - size < num_wanted && allocator_.next_smaller_size(size) < size &&
           allocator_.next_smaller_size(size) >= floor) {
        size = allocator_.next_smaller_size(size);
    }
    if (num_wanted <= 0 || size_of(trial) - size < num_wanted) {
        return false;
    }
    allocator_.shrink(trial.group.slots, size);
    return true;
}

/// Slots that nobody else needs, and that better survivors would not take.
bool Sweep::add_surplus(Trial& trial) {
    if (spec_.scheduler.surplus == Switch::off || trial.rungs_survived == 0 || size_of(trial) < full_size(trial) ||
        can_start() || next_in_line()) {
        return false;
    }
    const int num_free = allocator_.pool().num_free();
    int num_spare = num_free - num_missing_;
    for (auto better = survivors_.begin(); better != survivors_.end() && *better < merit(trial) && num_spare > 0;
         ++better) {
        const int size = size_of(this->trial(std::get<TrialId>(*better)));
        const int more = std::min(size, allocator_.max_workers() - size);
        num_spare -= more <= num_spare ? more : 0;
    }
    return allocator_.add_surplus(trial.group.slots, num_free - num_spare);
}

bool Sweep::may_run_another() const { return num_running_ < spec_.scheduler.max_concurrent.value_or(num_running_ + 1); }

/// Free slots that no running survivor has a claim on.
int Sweep::num_for_new_trials() const {
    const bool has_claims = spec_.scheduler.priority == Priority::promotions_first;
    return allocator_.pool().num_free() - (has_claims ? num_missing_ : 0);
}

void Sweep::allocate(Effects& effects) {
    if (spec_.scheduler.priority == Priority::starts_first) {
        while (start_next(effects)) {}
    }
    while (resume_next(effects)) {}
    if (spec_.scheduler.grow != GrowPolicy::wait || !next_in_line()) {
        while (start_next(effects)) {}
    }
}

/// Of the trials that wait, and the one that may be promoted.
std::optional<Sweep::WaitingOrder> Sweep::next_in_line() const {
    std::optional<WaitingOrder> next;
    if (!waiting_.empty()) {
        next = *waiting_.begin();
    }
    if (const auto promotable = scheduler_->promotable()) {
        const auto order = promotion_order(trial(*promotable));
        next = next ? std::min(*next, order) : order;
    }
    return next;
}

bool Sweep::resume_next(Effects& effects) {
    if (allocator_.pool().num_free() == 0 || !may_run_another()) {
        return false;
    }
    const auto next = next_in_line();
    if (!next) {
        return false;
    }
    Trial& trial = known_trial(next->second);
    // The least that a waiting trial takes is the same for all: where the first finds no place, none does.
    if (!allocator_.grow(trial.group.slots, -next->first)) {
        return false;
    }
    if (trial.status == TrialStatus::waiting) {
        waiting_.erase(*next);
    } else if (!is_promoted(trial, effects)) {
        return true;
    }
    trial.transition(TrialStatus::running);
    ++trial.group.generation;
    trial.repeated = Resource{0};
    run(trial);
    effects.placements.push_back(ResumeTrial{trial.id, trial.group});
    return true;
}

/// Promotes a paused trial, which holds slots for it. Where it has trained ahead to the next milestone it needs none
/// yet, or none any more.
bool Sweep::is_promoted(Trial& trial, Effects& effects) {
    scheduler_->promote();
    survive(trial, trial.rungs_survived + 1);
    const auto judgement = scheduler_->report(trial);
    survive(trial, judgement.rungs_survived);
    if (judgement.verdict == Verdict::go_on) {
        --num_paused_;
        return true;
    }
    allocator_.release(std::exchange(trial.group.slots, {}));
    if (judgement.verdict != Verdict::pause) {
        end(trial, judgement.verdict == Verdict::complete ? TrialStatus::finished : TrialStatus::stopped, effects);
    }
    end_eliminated(effects);
    return false;
}

bool Sweep::start_next(Effects& effects) {
    const auto num_trials = static_cast<int>(trials_.size());
    std::vector<SlotId> slots;
    if (!can_start() || !may_run_another() ||
        !allocator_.grow(slots, 0, allocator_.pool().num_free() - num_for_new_trials())) {
        return false;
    }
    Trial& trial = trials_.emplace_back();
    trial.id = TrialId{num_trials};
    trial.config = spec_.space.sample(spec_.seed, trial.id);
    trial.bracket = scheduler_->begin(trial.id);
    trial.group.slots = std::move(slots);
    survive(trial, 0);
    run(trial);
    effects.placements.push_back(StartTrial{trial.id, trial.group});
    return true;
}

/// It has its slots.
void Sweep::run(Trial& trial) {
    ++num_running_;
    update_batch(trial);
    count_in(trial);
}

void Sweep::suspend(Trial& trial, TrialStatus how) {
    leave_group(trial);
    trial.transition(how);
    if (how == TrialStatus::waiting) {
        waiting_.insert(waiting_order(trial));
    } else {
        ++num_paused_;
    }
}

void Sweep::leave_group(Trial& trial) {
    allocator_.release(std::exchange(trial.group.slots, {}));
    --num_running_;
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

void Sweep::count_in(const Trial& trial) {
    num_missing_ += num_missing(trial);
    if (spec_.scheduler.surplus == Switch::on && trial.rungs_survived > 0) {
        survivors_.insert(merit(trial));
    }
}

void Sweep::count_out(const Trial& trial) {
    num_missing_ -= num_missing(trial);
    if (spec_.scheduler.surplus == Switch::on && trial.rungs_survived > 0) {
        survivors_.erase(merit(trial));
    }
}

int Sweep::num_missing(const Trial& trial) const {
    const bool matters =
        spec_.scheduler.priority == Priority::promotions_first || spec_.scheduler.surplus == Switch::on;
    return matters ? std::max(0, full_size(trial) - size_of(trial)) : 0;
}

/// The slots there are have changed, and with them what each trial could get.
void Sweep::recount_missing() {
    num_missing_ = 0;
    for (const auto& trial : trials_) {
        num_missing_ += trial.status == TrialStatus::running ? num_missing(trial) : 0;
    }
}

}  // namespace crescendo
