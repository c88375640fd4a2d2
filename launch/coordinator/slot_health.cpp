#include "launch/coordinator/slot_health.hpp"

#include <algorithm>
#include <cmath>

namespace crescendo::launch {

SlotHealth::SlotHealth(const std::vector<Slot>& slots) {
    for (const auto& slot : slots) {
        note_joined(slot.id, slot.node);
    }
}

std::set<SlotId> SlotHealth::note_failure(SlotId slot, TrialId trial, const Record& record) {
    const auto place = in_use_.find(slot);
    if (place == in_use_.end()) {
        return {};
    }
    doubts_[slot].insert(trial);
    for (const auto& suspects : {slots_of(place->second), std::set{slot}}) {
        if (are_bad(suspects, record)) {
            note_lost(suspects);
            return suspects;
        }
    }
    return {};
}

std::set<SlotId> SlotHealth::slots_of(NodeId node) const {
    std::set<SlotId> slots;
    for (const auto& [slot, its_node] : in_use_) {
        if (its_node == node) {
            slots.insert(slot);
        }
    }
    return slots;
}

bool SlotHealth::are_bad(const std::set<SlotId>& slots, const Record& record) const {
    constexpr std::size_t least = 2;  // one trial may fail again and again
    std::set<TrialId> row;
    for (const auto slot : slots) {
        const auto doubt = doubts_.find(slot);
        if (doubt == doubts_.end()) {
            return false;
        }
        row.insert(doubt->second.begin(), doubt->second.end());
    }
    const bool another_is_fine = std::ranges::any_of(
        in_use_, [&](const auto& each) { return !slots.contains(each.first) && !doubts_.contains(each.first); });
    if (row.size() < least || !another_is_fine) {
        return false;
    }
    // The share of trials that fail elsewhere (with Jeffreys' prior), and how many such rows it would lead to by chance
    // in a sweep of so many trials.
    const double failed = std::max(0, record.num_failed - static_cast<int>(row.size()));
    const double share = (failed + 0.5) / (failed + record.num_reported + 1);
    const double num_trials = failed + record.num_reported + static_cast<double>(row.size());
    return num_trials * std::pow(share, row.size()) < 0.1;
}

void SlotHealth::note_progress(const std::vector<SlotId>& slots) {
    for (const auto slot : slots) {
        doubts_.erase(slot);
    }
}

void SlotHealth::note_lost(const std::set<SlotId>& slots) {
    for (const auto slot : slots) {
        in_use_.erase(slot);
        doubts_.erase(slot);
    }
}

}  // namespace crescendo::launch
