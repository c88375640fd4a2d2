#include "scheduler/slots/slot_doubts.hpp"

#include <algorithm>
#include <utility>

namespace crescendo {
namespace {

/// Sets the lists from the slots where the trial failed.
void set_lists(Suspects& suspects, const SlotPool& pool) {
    std::set<NodeId> nodes;
    std::set<std::pair<NodeId, int>> gpus;
    for (const auto failed : suspects.failed) {
        const auto slot = pool.slot(failed);
        nodes.insert(slot.node);
        if (slot.gpu) {
            gpus.emplace(slot.node, *slot.gpu);
        }
    }
    suspects.on_gpus.clear();
    suspects.on_nodes.clear();
    for (const auto id : pool.slots()) {
        const auto slot = pool.slot(id);
        if (nodes.contains(slot.node)) {
            suspects.on_nodes.push_back(id);
        }
        if (suspects.failed.contains(id) || (slot.gpu && gpus.contains({slot.node, *slot.gpu}))) {
            suspects.on_gpus.push_back(id);
        }
    }
}

}  // namespace

void SlotDoubts::note_failure(TrialId trial, SlotId slot, bool is_last_attempt, const SlotPool& pool) {
    auto& suspects = suspects_[trial];
    suspects.failed.insert(slot);
    suspects.is_last_attempt = is_last_attempt;
    set_lists(suspects, pool);
}

void SlotDoubts::note_progress(TrialId trial, const std::vector<SlotId>& slots, const SlotPool& pool) {
    if (const auto own = suspects_.find(trial); own != suspects_.end()) {
        own->second.is_last_attempt = false;
    }
    for (auto each = suspects_.begin(); each != suspects_.end();) {
        auto& suspects = each->second;
        const auto before = suspects.failed.size();
        for (const auto slot : slots) {
            suspects.failed.erase(slot);
        }
        if (suspects.failed.empty()) {
            each = suspects_.erase(each);
            continue;
        }
        if (suspects.failed.size() < before) {
            set_lists(suspects, pool);
        }
        ++each;
    }
}

void SlotDoubts::note_change(const SlotPool& pool) {
    for (auto& [trial, suspects] : suspects_) {
        std::erase_if(suspects.failed, [&](SlotId slot) { return !pool.has(slot); });
        set_lists(suspects, pool);
    }
    std::erase_if(suspects_, [](const auto& each) { return each.second.failed.empty(); });
}

const Suspects* SlotDoubts::of(TrialId trial) const {
    const auto found = suspects_.find(trial);
    return found == suspects_.end() ? nullptr : &found->second;
}

bool SlotDoubts::doubts(TrialId trial, SlotId slot, const SlotPool& pool) const {
    const auto* suspects = of(trial);
    if (suspects == nullptr) {
        return false;
    }
    const auto& place = std::cmp_less(suspects->on_nodes.size(), pool.size()) ? suspects->on_nodes : suspects->on_gpus;
    return std::cmp_less(place.size(), pool.size()) && std::ranges::binary_search(place, slot);
}

}  // namespace crescendo
