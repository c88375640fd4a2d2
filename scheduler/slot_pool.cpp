#include "scheduler/slot_pool.hpp"

#include <algorithm>

#include "core/check.hpp"

namespace crescendo {

void SlotPool::join(Slot slot) {
    const bool is_new = joined_.emplace(slot.id, slot.node).second;
    CRESCENDO_EXPECT(is_new);
    known_.insert(slot.id);
    release({slot.id});
}

void SlotPool::lose(SlotId slot) {
    const auto node = free_.find(joined_.at(slot));
    CRESCENDO_EXPECT(node != free_.end() && node->second.contains(slot));
    node->second.erase(slot);
    if (node->second.empty()) {
        free_.erase(node);
    }
    --num_free_;
    joined_.erase(slot);
}

std::vector<SlotId> SlotPool::take(int count, const std::vector<SlotId>& group) {
    CRESCENDO_EXPECT(count <= num_free_);
    const auto wanted = static_cast<std::size_t>(count);
    std::vector<SlotId> taken;
    for (const auto slot : group) {
        take_from(joined_.at(slot), wanted - taken.size(), taken);
    }
    while (taken.size() < wanted) {
        const auto missing = wanted - taken.size();
        take_from(best_node(missing), missing, taken);
    }
    num_free_ -= count;
    return taken;
}

void SlotPool::release(const std::vector<SlotId>& slots) {
    for (const auto slot : slots) {
        const bool was_taken = free_[joined_.at(slot)].insert(slot).second;
        CRESCENDO_EXPECT(was_taken);
        ++num_free_;
    }
}

std::vector<SlotId> SlotPool::slots() const {
    std::vector<SlotId> ids;
    for (const auto& [slot, node] : joined_) {
        ids.push_back(slot);
    }
    return ids;
}

/// The node with the fewest free slots that still has `count`, so that large groups find whole nodes
/// later; where there is none, the node with the most.
NodeId SlotPool::best_node(std::size_t count) const {
    const auto fits_better = [count](const auto& a, const auto& b) {
        const auto num_a = a.second.size();
        const auto num_b = b.second.size();
        if ((num_a >= count) != (num_b >= count)) {
            return num_a >= count;
        }
        return num_a >= count ? num_a < num_b : num_a > num_b;
    };
    return std::min_element(free_.begin(), free_.end(), fits_better)->first;
}

/// Takes up to `count` free slots of `node`.
void SlotPool::take_from(NodeId node, std::size_t count, std::vector<SlotId>& taken) {
    const auto found = free_.find(node);
    if (found == free_.end()) {
        return;
    }
    auto& slots = found->second;
    const auto end = std::next(slots.begin(), static_cast<std::ptrdiff_t>(std::min(count, slots.size())));
    taken.insert(taken.end(), slots.begin(), end);
    slots.erase(slots.begin(), end);
    if (slots.empty()) {
        free_.erase(found);
    }
}

}  // namespace crescendo
