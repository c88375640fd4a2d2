#include "scheduler/slots/slot_pool.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "core/check.hpp"

namespace crescendo {

void SlotPool::join(Slot slot) {
    CRESCENDO_EXPECT(!has(slot.id));
    slots_[slot.id] = {slot.node};
    ++size_;
    release({slot.id});
}

void SlotPool::lose(SlotId slot) {
    change(node_of(slot), [slot](FreeSlots& free) {
        const bool was_free = free.erase(slot) == 1;
        CRESCENDO_EXPECT(was_free);
    });
    --num_free_;
    --size_;
    slots_.at(slot).is_here = false;
}

std::vector<SlotId> SlotPool::take(int count, const std::vector<SlotId>& group) {
    CRESCENDO_EXPECT(count <= num_free_);
    const auto wanted = static_cast<std::size_t>(count);
    std::vector<SlotId> taken;
    taken.reserve(wanted);
    for (const auto slot : group) {
        take_from(node_of(slot), wanted - taken.size(), taken);
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
        change(node_of(slot), [slot](FreeSlots& free) {
            const bool was_taken = free.insert(slot).second;
            CRESCENDO_EXPECT(was_taken);
        });
        ++num_free_;
    }
}

bool SlotPool::has(SlotId slot) const {
    const auto found = slots_.find(slot);
    return found != slots_.end() && found->second.is_here;
}

std::vector<SlotId> SlotPool::slots() const {
    std::vector<SlotId> ids;
    for (const auto& [slot, place] : slots_) {
        if (place.is_here) {
            ids.push_back(slot);
        }
    }
    return ids;
}

/// The node with the fewest free slots that still has `count`, so that large groups find whole nodes
/// later; where there is none, the node with the most. Of several, the lowest.
NodeId SlotPool::best_node(std::size_t count) const {
    constexpr NodeId lowest{std::numeric_limits<std::int32_t>::min()};
    auto found = by_num_free_.lower_bound({count, lowest});
    if (found == by_num_free_.end()) {
        found = by_num_free_.lower_bound({by_num_free_.rbegin()->first, lowest});
    }
    return found->second;
}

/// Takes up to `count` free slots of `node`.
void SlotPool::take_from(NodeId node, std::size_t count, std::vector<SlotId>& taken) {
    if (count == 0) {
        return;
    }
    change(node, [&](FreeSlots& free) {
        const auto end = std::next(free.begin(), static_cast<std::ptrdiff_t>(std::min(count, free.size())));
        taken.insert(taken.end(), free.begin(), end);
        free.erase(free.begin(), end);
    });
}

/// Changes the free slots of a node, and where it stands among the nodes.
template <class Change>
void SlotPool::change(NodeId node, Change change) {
    auto& free = free_[node];
    const auto before = free.size();
    change(free);
    if (free.size() == before) {
        return;
    }
    auto place = by_num_free_.extract({before, node});
    if (free.empty()) {
        return;
    }
    if (place) {
        place.value().first = free.size();
        by_num_free_.insert(std::move(place));
    } else {
        by_num_free_.insert({free.size(), node});
    }
}

}  // namespace crescendo
