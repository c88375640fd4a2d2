/// What Sweep does about slots: who grows, shrinks, resumes and starts.

#include <algorithm>
#include <functional>

#include "core/check.hpp"
#include "scheduler/sweep/sweep.hpp"

namespace crescendo {

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
    if (spec_.scheduler.grow == GrowPolicy::wait) {
        if (const auto next = next_in_line(); next && *next < waiting_order(trial)) {
            return false;  // the free slots are collected for another
        }
    }
    return allocator_.grow(trial.group.slots, trial.rungs_survived);
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
    if (!spec_.scheduler.has_surplus() || trial.rungs_survived == 0 || size_of(trial) < full_size(trial) ||
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
    if (deadline_is_near_) {
        return;
    }
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
    trial.attempted = Resource{0};
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
    if (auto proposal = proposals_.extract(trial.id)) {
        trial.config = std::move(proposal.mapped());
        trial.is_proposed = true;
    } else {
        trial.config = spec_.space.sample(spec_.seed, trial.id);
    }
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

/// Goes on in memory with those who are left.
void Sweep::lose_workers(Trial& trial, const std::set<SlotId>& lost, Effects& effects) {
    auto& slots = trial.group.slots;
    const auto is_lost = [&](SlotId slot) { return lost.contains(slot); };
    const auto first_lost = std::stable_partition(slots.begin(), slots.end(), std::not_fn(is_lost));
    if (first_lost == slots.begin()) {
        suspend(trial, TrialStatus::waiting);
        return;
    }
    allocator_.release({first_lost, slots.end()});
    slots.erase(first_lost, slots.end());
    update_batch(trial);
    ++trial.group.generation;
    effects.actions.push_back(Regroup{trial.id, trial.group});
    count_in(trial);
}

void Sweep::leave_group(Trial& trial) {
    trial.is_reforming = false;
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
    if (spec_.scheduler.has_surplus() && trial.rungs_survived > 0) {
        survivors_.insert(merit(trial));
    }
}

void Sweep::count_out(const Trial& trial) {
    num_missing_ -= num_missing(trial);
    if (spec_.scheduler.has_surplus() && trial.rungs_survived > 0) {
        survivors_.erase(merit(trial));
    }
}

int Sweep::num_missing(const Trial& trial) const {
    const bool matters = spec_.scheduler.priority == Priority::promotions_first || spec_.scheduler.has_surplus();
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
