#include "scheduler/sweep/placement.hpp"

#include <algorithm>
#include <functional>
#include <utility>

namespace crescendo {
namespace {

int size_of(const Trial& trial) { return static_cast<int>(trial.group.slots.size()); }

const std::vector<SlotId> none;

}  // namespace

Placement::Placement(const SchedulerSpec& spec) : spec_(spec), allocator_(spec), growth_(spec), demand_(spec) {}

void Placement::join(const std::vector<Slot>& slots) {
    allocator_.join(slots);
    demand_.recount(allocator_);
    doubts_.note_change(pool());
}

void Placement::lose(const std::set<SlotId>& slots) {
    allocator_.lose({slots.begin(), slots.end()});
    demand_.recount(allocator_);
    doubts_.note_change(pool());
}

void Placement::enter_line(const Trial& waiting) { waiting_.insert({waiting.rungs_survived, waiting.id}); }

void Placement::leave_line(const Trial& waiting) { waiting_.erase({waiting.rungs_survived, waiting.id}); }

std::optional<TrialId> Placement::first_waiting() const {
    return waiting_.empty() ? std::nullopt : std::optional(waiting_.begin()->trial);
}

std::optional<InLine> Placement::next_in_line(const Prospects& prospects) const {
    std::optional<InLine> next;
    if (const auto willing = first_willing(); willing != waiting_.end()) {
        next = *willing;
    }
    if (const auto promotable = prospects.scheduler->promotable()) {
        const auto promoted = once_promoted(prospects.trials[static_cast<std::size_t>(promotable->value)]);
        next = next ? std::min(*next, promoted) : promoted;
    }
    return next;
}

std::optional<InLine> Placement::next_reluctant() const {
    for (auto next = waiting_.begin(); doubts_.any() && next != waiting_.end(); ++next) {
        if (is_reluctant(*next) && !doubts_.of(next->trial)->is_last_attempt) {
            return *next;
        }
    }
    return std::nullopt;
}

bool Placement::would_be_next(const Trial& trial, const Prospects& prospects) const {
    const auto willing = first_willing();
    return !new_trials_come_first(prospects) && (willing == waiting_.end() || once_promoted(trial) < *willing);
}

/// The least that a trial in line takes is the same for all that are not reluctant: if there are too few slots for the
/// first, there are too few for all.
bool Placement::take_slots(Trial& trial, int rungs_survived, int num_reserved) {
    const InLine next{rungs_survived, trial.id};
    const int num_refused = is_reluctant(next) ? 0 : pool().num_free() - num_usable(next);
    const int size = allocator_.offer(trial.group.slots, rungs_survived, std::max(num_refused, num_reserved));
    if (size == 0) {
        return false;
    }
    allocator_.grow_to(trial.group.slots, size, avoided_by(trial, size));
    return true;
}

bool Placement::take_slots_for_new(Trial& trial) {
    return allocator_.grow(trial.group.slots, 0, num_claimed(demand_.num_missing()));
}

void Placement::return_slots(Trial& trial) { allocator_.release(std::exchange(trial.group.slots, {})); }

void Placement::note_running(Trial& trial) {
    ++num_running_;
    update_batch(trial);
    demand_.update(trial, allocator_);
}

GroupChange Placement::adapt(Trial& trial, bool at_milestone, const Prospects& prospects) {
    const bool is_changed = change_group(trial, prospects);
    trial.wants_workers = wants_workers(trial);
    if (spec_.grow == GrowPolicy::wait && at_milestone && is_short(trial)) {
        return GroupChange::leaves;
    }
    if (is_changed) {
        regroup(trial);
        return GroupChange::regrouped;
    }
    update_batch(trial);
    demand_.update(trial, allocator_);
    return GroupChange::none;
}

bool Placement::change_group(Trial& trial, const Prospects& prospects) {
    if (give_back(trial, prospects) || give_back_idle(trial, prospects) || undo_growth(trial)) {
        return true;
    }
    if (grow(trial, prospects)) {
        return true;
    }
    return add_surplus(trial, prospects);
}

/// Gives slots back to the trial that is next, if it could not run otherwise: the group's surplus or, if that trial
/// survived at least as many rungs, everything beyond the size with which trials start. The group shrinks in steps of
/// the ladder, by no more than that trial needs.
bool Placement::give_back(Trial& trial, const Prospects& prospects) {
    if (spec_.shrink == Switch::off || size_of(trial) <= allocator_.starting_size() || !may_run_another()) {
        return false;
    }
    if (new_trials_come_first(prospects)) {
        return give_back_to(std::nullopt, trial);
    }
    for (const auto& waiting : waiting_) {
        if (refused_by(waiting).empty()) {
            break;
        }
        if (give_back_to(waiting, trial)) {
            return true;
        }
    }
    const auto next = next_in_line(prospects);
    return (next || prospects.can_start) && give_back_to(next, trial);
}

/// `next`: the trial in line that gets the slots; none: a new trial does.
bool Placement::give_back_to(const std::optional<InLine>& next, Trial& trial) {
    const auto& slots = trial.group.slots;
    const bool is_as_promising = next && next->rungs_survived >= trial.rungs_survived;
    const int floor = is_as_promising ? allocator_.starting_size() : std::min(trial.target_workers, size_of(trial));
    const int num_free = next ? num_usable(*next) : pool().num_free() - num_claimed(demand_.num_missing());
    const int num_wanted = allocator_.starting_size() - num_free;
    const auto& refused = next ? refused_by(*next) : none;
    const auto num_given = [&](int size) {
        return static_cast<int>(std::count_if(slots.begin() + size, slots.end(),
                                              [&](SlotId slot) { return !std::ranges::binary_search(refused, slot); }));
    };
    int size = size_of(trial);
    while (num_given(size) < num_wanted && allocator_.next_smaller_size(size) < size &&
           allocator_.next_smaller_size(size) >= floor) {
        size = allocator_.next_smaller_size(size);
    }
    if (num_wanted <= 0 || num_given(size) < num_wanted) {
        return false;
    }
    allocator_.shrink(trial.group.slots, size);
    return true;
}

bool Placement::grow(Trial& trial, const Prospects& prospects) {
    if (size_of(trial) >= trial.target_workers) {
        return false;
    }
    if (spec_.grow == GrowPolicy::wait) {
        if (const auto next = next_in_line(prospects); next && *next < InLine{trial.rungs_survived, trial.id}) {
            return false;  // the free slots are collected for another trial
        }
    }
    const int offered = allocator_.offer(trial.group.slots, trial.rungs_survived);
    if (prospects.awaits_proposal &&
        pool().num_free() - (offered - size_of(trial)) < allocator_.starting_size()) {
        return false;
    }
    return grow_to(trial, offered);
}

/// Grows to `offered` workers, or to as many of them as are worth it. Returns whether the group grew.
bool Placement::grow_to(Trial& trial, int offered) {
    if (offered > size_of(trial) && spec_.grow_when != GrowWhen::always) {
        offered = growth_.choose(trial, allocator_.sizes_up_to(size_of(trial), offered));
    }
    if (offered <= size_of(trial)) {
        return false;
    }
    growth_.note_growth(trial, offered);
    const auto* suspects = doubts_.of(trial.id);
    allocator_.grow_to(trial.group.slots, offered, suspects != nullptr ? suspects->on_gpus : none);
    return true;
}

/// Whether the trial would take more workers if there were enough free slots for it.
bool Placement::wants_workers(const Trial& trial) const {
    if (spec_.grow_when == GrowWhen::always) {
        return true;
    }
    const int full = allocator_.full_size(trial.rungs_survived);
    const int most = size_of(trial) < full ? full : size_of(trial) + std::max(0, allocator_.surplus(size_of(trial)));
    return most > size_of(trial) &&
           growth_.wants(trial, allocator_.sizes_up_to(size_of(trial), most));
}

/// Gives workers that do not make the trial faster to trials that could not run otherwise.
bool Placement::give_back_idle(Trial& trial, const Prospects& prospects) {
    if (spec_.grow_when != GrowWhen::goodput || pool().num_free() >= allocator_.starting_size() ||
        !may_run_another() || !(prospects.can_start || next_in_line(prospects))) {
        return false;
    }
    int size = size_of(trial);
    for (int smaller = allocator_.next_smaller_size(size);
         smaller < size && smaller >= allocator_.starting_size() && growth_.is_as_fast_with(trial, smaller);
         smaller = allocator_.next_smaller_size(size)) {
        size = smaller;
    }
    if (size == size_of(trial)) {
        return false;
    }
    allocator_.shrink(trial.group.slots, size);
    return true;
}

/// Gives back workers that make the trial slower, even if no other trial needs their slots.
bool Placement::undo_growth(Trial& trial) {
    if (!grew_in_vain(trial)) {
        return false;
    }
    allocator_.shrink(trial.group.slots, fastest_size(trial));
    return true;
}

/// Every size that was measured counts, also one that is not on the ladder, because surplus slots double a group. A
/// trial without TrialTimed keeps its workers: older journals have no such events, and were decided without this rule.
int Placement::fastest_size(const Trial& trial) const {
    return spec_.grows_early() && growth_.is_timed(trial.id) ? growth_.fastest_size(trial, allocator_.starting_size())
                                                             : size_of(trial);
}

/// Adds slots that no other trial needs, and that no better survivor would take.
bool Placement::add_surplus(Trial& trial, const Prospects& prospects) {
    const bool is_due = trial.rungs_survived > 0 || (spec_.grows_early() && growth_.is_timed(trial.id));
    if (!spec_.has_surplus() || !is_due || is_short(trial) || is_for_others(prospects)) {
        return false;
    }
    const int more = allocator_.surplus(size_of(trial));
    return more > 0 && more <= pool().num_free_for(trial.group.slots) && demand_.can_spare(more, trial, allocator_) &&
           grow_to(trial, size_of(trial) + more);
}

/// Whether trials that do not run will take what is free. If `max_concurrent` keeps them from it, they will not: a
/// trial that ends leaves its own slots to the next one. But with `grow: wait`, the next one may need more slots, which
/// are collected.
bool Placement::is_for_others(const Prospects& prospects) const {
    const bool are_kept = spec_.capped_surplus == Switch::on && spec_.grow != GrowPolicy::wait && !may_run_another();
    return !are_kept && (prospects.can_start || !waiting_.empty() || next_in_line(prospects));
}

bool Placement::is_short(const Trial& trial) const {
    return size_of(trial) < allocator_.full_size(trial.rungs_survived);
}

/// Slots that a trial in line refuses, because they may be to blame for its failures; sorted. Empty if the sweep has
/// too few others.
const std::vector<SlotId>& Placement::refused_by(const InLine& next) const {
    const auto* suspects = doubts_.of(next.trial);
    if (suspects == nullptr) {
        return none;
    }
    const auto spares_enough = [&](const std::vector<SlotId>& refused) {
        return pool().size() - static_cast<int>(refused.size()) >= allocator_.least_size(next.rungs_survived);
    };
    if (suspects->is_last_attempt && spares_enough(suspects->on_nodes)) {
        return suspects->on_nodes;
    }
    return spares_enough(suspects->on_gpus) ? suspects->on_gpus : none;
}

/// Number of free slots that a trial in line does not refuse.
int Placement::num_usable(const InLine& next) const {
    return pool().num_free() - num_free_of(refused_by(next));
}

bool Placement::is_reluctant(const InLine& next) const {
    const int least = allocator_.least_size(next.rungs_survived);
    return pool().num_free() >= least && num_usable(next) < least;
}

/// The first in line that is not reluctant.
std::set<InLine>::const_iterator Placement::first_willing() const {
    return doubts_.any() ? std::ranges::find_if(waiting_, [&](const auto& next) { return !is_reluctant(next); })
                         : waiting_.begin();
}

/// Slots that the trial takes last when it gets `count`: those of whole nodes, if others have enough free slots.
const std::vector<SlotId>& Placement::avoided_by(const Trial& trial, int count) const {
    const auto* suspects = doubts_.of(trial.id);
    if (suspects == nullptr) {
        return none;
    }
    const int num_elsewhere = pool().num_free() - num_free_of(suspects->on_nodes);
    return num_elsewhere >= count ? suspects->on_nodes : suspects->on_gpus;
}

int Placement::num_free_of(const std::vector<SlotId>& slots) const {
    return static_cast<int>(std::ranges::count_if(slots, [&](SlotId slot) { return pool().is_free(slot); }));
}

bool Placement::remove_workers(Trial& trial, const std::set<SlotId>& lost) {
    auto& slots = trial.group.slots;
    const auto is_lost = [&](SlotId slot) { return lost.contains(slot); };
    const auto first_lost = std::stable_partition(slots.begin(), slots.end(), std::not_fn(is_lost));
    if (first_lost == slots.begin()) {
        return false;
    }
    allocator_.release({first_lost, slots.end()});
    slots.erase(first_lost, slots.end());
    regroup(trial);
    return true;
}

void Placement::regroup(Trial& trial) {
    ++trial.group.generation;
    update_batch(trial);
    demand_.update(trial, allocator_);
}

void Placement::leave(Trial& trial) {
    return_slots(trial);
    growth_.forget(trial.id);
    --num_running_;
    demand_.update(trial, allocator_);
}

bool Placement::new_trials_come_first(const Prospects& prospects) const {
    return spec_.priority == Priority::starts_first && prospects.can_start;
}

/// Number of free slots that new trials leave to running trials, which are short of `num_missing` slots.
int Placement::num_claimed(int num_missing) const {
    return spec_.priority == Priority::promotions_first ? num_missing : 0;
}

void Placement::update_batch(Trial& trial) const {
    trial.group.batch.multiple = growth_.batch_multiple(trial, size_of(trial));
}

}  // namespace crescendo
