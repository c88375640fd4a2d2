#include "launch/coordinator/slot_health.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

namespace crescendo::launch {

SlotHealth::SlotHealth(const std::vector<Slot>& slots) {
    for (const auto& slot : slots) {
        note_joined(slot);
    }
}

std::set<SlotId> SlotHealth::note_failure(SlotId slot, TrialId trial, const std::function<Record()>& count) {
    const auto found = in_use_.find(slot);
    if (found == in_use_.end()) {
        return {};
    }
    const auto place = found->second;
    doubts_[slot].insert(trial);
    failed_on_[trial].insert(slot);
    const auto on_node = in_use_where([&](const Slot& other) { return other.node == place.node; });
    const auto on_gpu = in_use_where([&](const Slot& other) {
        return other.id == slot || (place.gpu && other.node == place.node && other.gpu == place.gpu);
    });
    for (const auto& suspects : {on_node, on_gpu, std::set{slot}}) {
        if (are_bad(suspects, count)) {
            note_lost(suspects);
            return suspects;
        }
    }
    return {};
}

std::set<SlotId> SlotHealth::in_use_where(const std::function<bool(const Slot&)>& is_meant) const {
    std::set<SlotId> slots;
    for (const auto& [id, slot] : in_use_) {
        if (is_meant(slot)) {
            slots.insert(id);
        }
    }
    return slots;
}

std::set<TrialId> SlotHealth::failed_only_on(const std::set<SlotId>& slots, const std::set<TrialId>& trials) const {
    std::set<TrialId> result;
    std::ranges::copy_if(trials, std::inserter(result, result.end()),
                         [&](TrialId trial) { return std::ranges::includes(slots, failed_on_.at(trial)); });
    return result;
}

/// The trials that failed in a row on these slots, and nowhere else. For slots on one GPU, only the longest row counts.
/// Empty if any of the slots is not in doubt.
std::set<TrialId> SlotHealth::row_on(const std::set<SlotId>& slots) const {
    std::set<TrialId> row;
    std::map<std::pair<NodeId, int>, std::set<TrialId>> rows_on_gpus;
    for (const auto slot : slots) {
        const auto doubt = doubts_.find(slot);
        if (doubt == doubts_.end()) {
            return {};
        }
        const auto& place = in_use_.at(slot);
        const auto trials = failed_only_on(slots, doubt->second);
        if (!place.gpu) {
            row.insert(trials.begin(), trials.end());
        } else if (auto& longest = rows_on_gpus[{place.node, *place.gpu}]; longest.size() < trials.size()) {
            longest = trials;
        }
    }
    for (const auto& [gpu, longest] : rows_on_gpus) {
        row.insert(longest.begin(), longest.end());
    }
    return row;
}

bool SlotHealth::are_bad(const std::set<SlotId>& slots, const std::function<Record()>& count) const {
    constexpr std::size_t least = 2;  // a single trial may fail again and again
    const auto row = row_on(slots);
    const bool another_is_fine = std::ranges::any_of(
        in_use_, [&](const auto& each) { return !slots.contains(each.first) && !doubts_.contains(each.first); });
    if (row.size() < least || !another_is_fine) {
        return false;
    }
    // The share of trials that fail elsewhere (with Jeffreys' prior), and the number of such rows that it would cause
    // by chance in a sweep of this many trials.
    std::set<TrialId> failed_here;
    for (const auto slot : slots) {
        failed_here.merge(failed_only_on(slots, doubts_.at(slot)));
    }
    const auto record = count();
    const double failed = std::max(0, record.num_failed - static_cast<int>(failed_here.size()));
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
        for (auto& [trial, failed_on] : failed_on_) {
            failed_on.erase(slot);
        }
    }
}

}  // namespace crescendo::launch
