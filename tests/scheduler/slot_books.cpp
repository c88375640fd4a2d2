#include "tests/scheduler/slot_books.hpp"

#include <algorithm>
#include <bit>
#include <stdexcept>
#include <tuple>

namespace crescendo {
namespace {

void require(bool holds, const char* rule) {
    if (!holds) {
        throw std::logic_error(rule);
    }
}

/// The resource that the reporting trial has used, according to the sweep.
Resource resource_of_reporter(const Event& event, const Sweep& sweep) {
    const auto* reported = std::get_if<TrialReported>(&event);
    return reported != nullptr && sweep.has(reported->trial) ? sweep.trial(reported->trial).resource : Resource{0};
}

bool contains(const std::vector<SlotId>& slots, SlotId slot) {
    return std::find(slots.begin(), slots.end(), slot) != slots.end();
}

}  // namespace

std::vector<Action> SlotBooks::apply(const Event& event) {
    const bool was_over = finished_;
    const auto before = resource_of_reporter(event, sweep_);
    const auto actions = sweep_.apply(event);
    finished_ = finished_ && !(opens_again(event) && sweep_.state() == SweepState::running);
    note_progress(event, before);
    enter(event);
    for (const auto& action : actions) {
        require(!finished_, "nothing comes after FinishSweep");
        std::visit([this](const auto& kind) { enter(kind); }, action);
    }
    require(was_over || hit_.empty(), "a group that lost a worker is told how to go on");
    hit_.clear();
    check_slots();
    check_trials();
    check_ends();
    if (finished_) {
        check_end();
    } else {
        check_nothing_idles();
    }
    return actions;
}

void SlotBooks::enter(const Event& event) {
    if (const auto* joined = std::get_if<SlotsJoined>(&event)) {
        for (const auto& slot : joined->slots) {
            joined_.insert(slot.id);
            nodes_[slot.id] = slot.node;
            gpus_.erase(slot.id);
            if (slot.gpu) {
                gpus_.emplace(slot.id, *slot.gpu);
            }
        }
    } else if (const auto* lost = std::get_if<SlotsLost>(&event)) {
        for (const auto slot : lost->slots) {
            joined_.erase(slot);
            lose(slot);
            for (auto& [trial, slots] : suspects_) {
                slots.erase(slot);
            }
        }
    } else if (const auto* failed = std::get_if<TrialFailed>(&event)) {
        note_suspect(*failed);
        const auto group = groups_.find(failed->trial);
        if (!failed->slot) {
            vacate(failed->trial);
        } else if (group != groups_.end() && contains(group->second.slots, *failed->slot)) {
            lose(*failed->slot);
        }
    } else if (const auto* ended = std::get_if<TrialFinished>(&event)) {
        vacate(ended->trial);
    } else if (const auto* retried = std::get_if<TrialRetried>(&event)) {
        require(ends_.erase(retried->trial) == 1, "only a trial that ended is tried again");
    }
}

void SlotBooks::enter(const StartTrial& action) {
    const auto& [run_cap, repeat] = std::tie(sweep_.spec().run_cap, sweep_.spec().repeat);
    const auto candidate = repeat.configuration_of(action.trial).value;
    require(repeat.is_on() || action.trial.value == static_cast<int>(generations_.size()),
            "trials start in the order of their ids");
    require(!generations_.contains(action.trial), "a trial starts once");
    require(action.group.generation == 0, "a trial's first group is generation 0");
    require(candidate < run_cap.value_or(candidate + 1) || repeat.repetition_of(action.trial) > 0,
            "nothing but another repetition of what has started starts beyond the cap");
    place(action.trial, action.group);
}

void SlotBooks::enter(const ResumeTrial& action) {
    require(!groups_.contains(action.trial), "only a trial without a group is resumed");
    require(action.group.generation > generations_.at(action.trial), "every generation is a later one");
    place(action.trial, action.group);
}

void SlotBooks::enter(const Regroup& action) {
    const auto old = groups_.at(action.trial).slots;
    const auto& now = action.group.slots;
    if (hit_.erase(action.trial) > 0) {
        require(now == old, "survivors go on by themselves, in order");
    } else {
        require(now.size() != old.size(), "a regroup changes a group");
        const auto& spec = sweep_.spec().scheduler;
        require(now.size() > old.size() || spec.shrink == Switch::on || spec.grow_when == GrowWhen::goodput,
                "groups shrink if they may");
    }
    require(std::equal(old.begin(), old.begin() + static_cast<std::ptrdiff_t>(std::min(old.size(), now.size())),
                       now.begin()),
            "a group keeps its slots, in order");
    require(action.group.generation > generations_.at(action.trial), "every generation is a later one");
    vacate(action.trial);
    place(action.trial, action.group);
}

void SlotBooks::enter(const PauseTrial& action) {
    require(groups_.contains(action.trial), "only a running trial is told to pause");
    vacate(action.trial);
}

void SlotBooks::enter(const StopTrial& action) {
    require(groups_.contains(action.trial), "only a running trial is told to stop");
    hit_.erase(action.trial);
    vacate(action.trial);
}

void SlotBooks::enter(const DropCheckpoint& action) {
    const auto status = sweep_.trial(action.trial).status;
    require(status == TrialStatus::stopped || status == TrialStatus::finished,
            "only a trial that ended for good loses its checkpoint");
    require(dropped_.insert(action.trial).second, "a checkpoint is dropped once");
}

void SlotBooks::enter(const FinishSweep& action) {
    finished_ = true;
    require(action.reason == sweep_.finish_reason(), "a sweep knows why it ended");
    require(action.best == sweep_.best(), "at the end the best trial is the best that ended");
}

bool SlotBooks::opens_again(const Event& event) {
    return std::holds_alternative<LimitsChanged>(event) || std::holds_alternative<TrialRetried>(event);
}

/// A trial that ended keeps its status, whatever changes, unless it is tried again.
void SlotBooks::check_ends() {
    for (const auto& trial : sweep_.trials()) {
        const auto before = ends_.find(trial.id);
        require(before == ends_.end() || before->second == trial.status, "an end is an end");
        if (trial.ended()) {
            ends_.emplace(trial.id, trial.status);
        }
    }
}

/// One of the group's slots may be to blame.
void SlotBooks::note_suspect(const TrialFailed& event) {
    const auto group = groups_.find(event.trial);
    if (!event.suspect || group == groups_.end() || !contains(group->second.slots, *event.suspect) ||
        (event.slot && !contains(group->second.slots, *event.slot))) {
        return;
    }
    suspects_[event.trial].insert(*event.suspect);
    if (sweep_.trial(event.trial).failures_in_a_row >= sweep_.spec().max_retries) {
        on_last_attempt_.insert(event.trial);
    } else {
        on_last_attempt_.erase(event.trial);
    }
}

/// Slots whose trial makes progress are no longer to blame.
void SlotBooks::note_progress(const Event& event, Resource before) {
    if (const auto* reported = std::get_if<TrialReported>(&event);
        reported != nullptr && resource_of_reporter(event, sweep_) > before) {
        on_last_attempt_.erase(reported->trial);
        for (auto& [trial, slots] : suspects_) {
            for (const auto slot : groups_.at(reported->trial).slots) {
                slots.erase(slot);
            }
        }
    }
}

/// Whether a trial may wait although `smallest` slots are free: it has one attempt left, the free slots are where it
/// failed, and other slots are taken.
bool SlotBooks::may_refuse(const Trial& trial, int smallest) const {
    const auto suspects = suspects_.find(trial.id);
    if (suspects == suspects_.end() || !on_last_attempt_.contains(trial.id)) {
        return false;
    }
    std::set<NodeId> nodes;
    for (const auto slot : suspects->second) {
        nodes.insert(nodes_.at(slot));
    }
    const auto is_elsewhere = [&](SlotId slot) { return !nodes.contains(nodes_.at(slot)); };
    const auto num_others = static_cast<int>(joined_.size() - suspects->second.size());
    return num_others >= smallest && std::ranges::count_if(joined_, [&](SlotId slot) {
                                         return !used_.contains(slot) && is_elsewhere(slot);
                                     }) < smallest;
}

/// The worker on the slot is gone, and its group has not yet been told to continue without it.
void SlotBooks::lose(SlotId slot) {
    const auto owner = std::find_if(groups_.begin(), groups_.end(),
                                    [slot](const auto& entry) { return contains(entry.second.slots, slot); });
    if (owner == groups_.end()) {
        return;
    }
    const auto trial = owner->first;
    used_.erase(slot);
    std::erase(owner->second.slots, slot);
    if (owner->second.slots.empty()) {
        vacate(trial);
        hit_.erase(trial);
    } else {
        hit_.insert(trial);
    }
}

/// The most workers that a group can have if each needs its own GPU, on all slots or only on the free ones.
int SlotBooks::num_places(bool only_free) const {
    std::set<std::tuple<NodeId, int>> gpus;
    int num_places = 0;
    for (const auto slot : joined_) {
        if (only_free && used_.contains(slot)) {
            continue;
        }
        const auto gpu = gpus_.find(slot);
        const bool is_shared = sweep_.spec().scheduler.distinct_gpus == Switch::on && gpu != gpus_.end();
        num_places += !is_shared || gpus.emplace(nodes_.at(slot), gpu->second).second ? 1 : 0;
    }
    return num_places;
}

void SlotBooks::place(TrialId trial, const Group& group) {
    require(!group.slots.empty(), "a group has a slot");
    std::set<std::tuple<NodeId, int>> gpus;
    for (const auto slot : group.slots) {
        const auto gpu = gpus_.find(slot);
        require(gpu == gpus_.end() || gpus.emplace(nodes_.at(slot), gpu->second).second ||
                    sweep_.spec().scheduler.distinct_gpus == Switch::off,
                "the workers of a group have a GPU each");
        require(joined_.contains(slot), "a group has only slots that are there");
        require(used_.insert(slot).second, "no slot is in two groups");
    }
    groups_[trial] = group;
    generations_[trial] = group.generation;
}

void SlotBooks::vacate(TrialId trial) {
    if (const auto found = groups_.find(trial); found != groups_.end()) {
        for (const auto slot : found->second.slots) {
            used_.erase(slot);
        }
        groups_.erase(found);
    }
}

void SlotBooks::check_slots() const {
    const auto slots = sweep_.slots();
    require(std::equal(slots.begin(), slots.end(), joined_.begin(), joined_.end()), "the sweep knows its slots");
    require(sweep_.num_slots() == static_cast<int>(joined_.size()), "the sweep counts its slots");
    require(sweep_.num_free_slots() + static_cast<int>(used_.size()) == sweep_.num_slots(), "free + used = joined");
}

/// No trial trains or waits beyond its own end, and a trial that ended has a reason.
void SlotBooks::check_reason(const Trial& trial) const {
    using enum StopReason;
    const auto& [target, seconds] = sweep_.spec().trial_end;
    const bool is_at_end = trial.loss && ((target && *trial.loss <= *target) ||  // specs here minimize
                                          (seconds && trial.seconds.value_or(0) >= *seconds));
    const bool has_completed = trial.reason == completed || trial.reason == reached;
    require(trial.ended() == trial.reason.has_value(), "who ended knows why, and nobody else");
    require((trial.status == TrialStatus::failed) == (trial.reason == failed), "who failed knows it");
    require((trial.status == TrialStatus::finished) == has_completed, "who finished was complete");
    require(!is_at_end || has_completed, "a trial at its own end is complete");
    const auto& patience = sweep_.spec().patience.resource;
    require(patience || trial.reason != no_progress, "without patience there is no end of it");
    require(trial.status != TrialStatus::waiting || !trial.is_held, "a trial that is held waits for no slots");
    require(trial.status != TrialStatus::held || trial.is_held, "who is held knows it");
    require(!trial.is_held || !trial.ended(), "who ended is not held");
    require(is_at_end || trial.reason != reached, "only a trial at its own end is complete because of it");
}

void SlotBooks::check_trials() const {
    for (const auto& trial : sweep_.trials()) {
        check_reason(trial);
        const auto group = groups_.find(trial.id);
        require((trial.status == TrialStatus::running) == (group != groups_.end()), "who runs has a group");
        require(trial.target_workers <= sweep_.max_workers(), "no target exceeds max_workers");
        if (group == groups_.end()) {
            require(trial.group.slots.empty(), "who does not run has no slots");
            continue;
        }
        const auto size = static_cast<int>(trial.group.slots.size());
        require(trial.group.slots == group->second.slots, "the sweep and its actions tell the same group");
        require(trial.group.generation == group->second.generation, "the sweep and its actions tell the same group");
        require(size <= (sweep_.spec().scheduler.has_surplus() ? sweep_.max_workers() : trial.target_workers),
                "no group exceeds its target");
        switch (sweep_.spec().scheduler.batch) {
            case BatchPolicy::ladder:
                require(trial.group.batch.multiple == trial.target_workers, "a ladder batch follows the target");
                break;
            case BatchPolicy::per_worker:
                require(trial.group.batch.multiple == size, "a per-worker batch follows the group");
                break;
            case BatchPolicy::global:
                require(trial.group.batch.multiple == 1, "a global batch stays");
                break;
            case BatchPolicy::adaptive:
                require(std::has_single_bit(static_cast<unsigned>(trial.group.batch.multiple)) &&
                            trial.group.batch.multiple <= size,
                        "an adaptive batch doubles with the group at most");
                break;
        }
    }
}

void SlotBooks::check_nothing_idles() const {
    if (joined_.empty() || sweep_.deadline_is_near() || sweep_.awaited_proposal()) {
        return;  // nothing starts, or not yet
    }
    require(!groups_.empty() || sweep_.waits_for_release(), "where there are slots, something runs");
    if (groups_.empty()) {
        return;
    }
    const auto& spec = sweep_.spec().scheduler;
    const int smallest = std::min({spec.workers, sweep_.max_workers(), num_places(/*only_free=*/false)});
    if (num_places(/*only_free=*/true) < smallest ||
        static_cast<int>(groups_.size()) >= spec.max_concurrent.value_or(sweep_.num_slots() + 1)) {
        return;
    }
    const auto& trials = sweep_.trials();
    const int num_candidates = static_cast<int>(sweep_.candidates().size());
    const bool can_start = num_candidates < sweep_.spec().run_cap.value_or(num_candidates + 1);
    const bool somebody_waits =
        sweep_.can_promote() || std::any_of(trials.begin(), trials.end(), [&](const auto& trial) {
            return trial.status == TrialStatus::waiting &&
                   (spec.grow == GrowPolicy::wait || !may_refuse(trial, smallest));
        });
    if (spec.grow == GrowPolicy::wait && somebody_waits) {
        require(spec.priority != Priority::starts_first || !can_start, "new trials need not let others wait");
        return;  // the free slots are collected, and something runs that will free more
    }
    require(!somebody_waits, "no slot idles while a trial waits");
    const int num_reserved = spec.priority == Priority::promotions_first ? num_claimed() : 0;
    require(!can_start || sweep_.num_free_slots() - num_reserved < smallest, "no slot idles while a trial could start");
}

/// The number of workers that running trials lack for their targets, as far as the existing slots could provide them.
int SlotBooks::num_claimed() const {
    const auto& spec = sweep_.spec().scheduler;
    int sum = 0;
    for (const auto& [id, group] : groups_) {
        if (!sweep_.trial(id).wants_workers) {
            continue;
        }
        const int most = num_places(/*only_free=*/false);
        const int target = std::min(sweep_.trial(id).target_workers, most);
        int size = std::min({spec.workers, sweep_.max_workers(), most});
        if (spec.grow == GrowPolicy::partial) {
            size = target;
        }
        while (size < target && spec.scaling() > 1) {
            const int next = std::min(size * spec.scaling(), sweep_.max_workers());
            if (next > target) {
                break;
            }
            size = next;
        }
        sum += std::max(0, size - static_cast<int>(group.slots.size()));
    }
    return sum;
}

void SlotBooks::check_end() const {
    require(used_.empty(), "at the end all slots are free");
    for (const auto& trial : sweep_.trials()) {
        require(trial.ended(), "at the end all trials have ended");
        const bool is_kept = trial.id == sweep_.best() || trial.status == TrialStatus::failed;
        require(dropped_.contains(trial.id) != is_kept,
                "the checkpoints of the best trial and of those that may be tried again are kept, no other");
    }
}

}  // namespace crescendo
