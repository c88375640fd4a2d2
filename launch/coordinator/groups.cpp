#include "launch/coordinator/groups.hpp"

#include <algorithm>

#include "core/mapped.hpp"

namespace crescendo::launch {
namespace {

bool contains(const std::vector<SlotId>& slots, SlotId slot) {
    return std::find(slots.begin(), slots.end(), slot) != slots.end();
}

}  // namespace

std::vector<SlotId> Groups::form(TrialId trial, const Group& group) {
    std::vector<SlotId> leavers;
    for (const auto slot : this->members(trial)) {
        if (!contains(group.slots, slot)) {
            leaving_.insert({trial, slot});
            leavers.push_back(slot);
        }
    }
    auto& members = members_[trial];
    members.slots = group.slots;
    members.generation = group.generation;
    members.is_regrouping = false;
    members.stranded.clear();
    members.restart.reset();
    return leavers;
}

std::vector<SlotId> Groups::dismiss(TrialId trial) {
    const auto leavers = members(trial);
    for (const auto slot : leavers) {
        leaving_.insert({trial, slot});
    }
    members_.erase(trial);
    held_back_.erase(trial);
    return leavers;
}

void Groups::note_death(TrialId trial, SlotId slot) {
    leaving_.erase({trial, slot});
    const auto found = members_.find(trial);
    if (found != members_.end() && std::erase(found->second.slots, slot) > 0 && found->second.slots.empty()) {
        members_.erase(found);
    }
}

void Groups::lose(const std::set<SlotId>& slots) {
    const auto is_lost = [&](SlotId slot) { return slots.contains(slot); };
    std::erase_if(leaving_, [&](const auto& each) { return is_lost(each.second); });
    for (auto& [trial, members] : members_) {
        std::erase_if(members.slots, is_lost);
    }
    std::erase_if(members_, [](const auto& each) { return each.second.slots.empty(); });
    std::erase_if(held_back_, [&](const auto& each) {
        return std::all_of(each.second.group.slots.begin(), each.second.group.slots.end(), is_lost);
    });
}

bool Groups::note_formed(TrialId trial, int generation) {
    const auto found = members_.find(trial);
    return found != members_.end() && found->second.generation == generation &&
           std::exchange(found->second.is_regrouping, false);
}

bool Groups::note_stranded(TrialId trial, SlotId slot, int generation) {
    const auto found = members_.find(trial);
    if (found == members_.end() || found->second.generation != generation || !contains(found->second.slots, slot)) {
        return false;
    }
    auto& members = found->second;
    members.stranded.insert(slot);
    const bool all = members.stranded.size() == members.slots.size();
    members.num_strandings += all ? 1 : 0;
    return all;
}

void Groups::hold_back(TrialId trial, const Group& group, std::optional<double> decided) {
    auto& held = held_back_[trial];
    held = {trial, group, held.decided ? held.decided : decided};
}

bool Groups::is_member(TrialId trial, SlotId slot) const {
    const auto found = members_.find(trial);
    return found != members_.end() && contains(found->second.slots, slot);
}

std::vector<SlotId> Groups::members(TrialId trial) const {
    const auto found = members_.find(trial);
    return found == members_.end() ? std::vector<SlotId>() : found->second.slots;
}

std::vector<TrialId> Groups::trials() const {
    return mapped(members_, [](const auto& each) { return each.first; });
}

std::set<TrialId> Groups::at_work() const {
    const auto with_members = trials();
    std::set<TrialId> result(with_members.begin(), with_members.end());
    for (const auto& [trial, slot] : leaving_) {
        result.insert(trial);
    }
    return result;
}

bool Groups::is_leaving(TrialId trial) const {
    const auto first = leaving_.lower_bound({trial, SlotId{0}});
    return first != leaving_.end() && first->first == trial;
}

std::optional<Groups::HeldBack> Groups::take_ready() {
    const auto ready = std::find_if(held_back_.begin(), held_back_.end(),
                                    [this](const auto& each) { return !is_leaving(each.first); });
    if (ready == held_back_.end()) {
        return {};
    }
    return held_back_.extract(ready).mapped();
}

}  // namespace crescendo::launch
