#include "scheduler/slots/slot_pool.hpp"

#include <algorithm>
#include <functional>
#include <iterator>
#include <limits>
#include <utility>

#include "core/check.hpp"

namespace crescendo {
namespace {

constexpr std::greater<> lowest_first;

}  // namespace

void SlotPool::join(Slot slot) {
    CRESCENDO_EXPECT(!has(slot.id));
    CRESCENDO_EXPECT(slot.id.value >= 0 && slot.id.value < end_of_ids);
    places_.resize(std::max(places_.size(), index_of(slot.id) + 1));
    place_of(slot.id) = {.node = index_of(slot.node), .gpu = slot.gpu, .is_known = true, .is_here = true};
    if (slot.gpu) {
        nodes_[place_of(slot.id).node].taken_on.try_emplace(*slot.gpu, 0);
    }
    ++size_;
    add_free(slot.id);
}

void SlotPool::lose(SlotId slot) {
    withdraw(slot);
    --size_;
    place_of(slot).is_here = false;
}

/// Makes a free slot one that is not. Rare, so that it may take O(n).
void SlotPool::withdraw(SlotId slot) {
    auto& place = place_of(slot);
    CRESCENDO_EXPECT(place.is_here && place.is_free);
    auto& node = nodes_[place.node];
    std::erase(node.free, slot);
    std::make_heap(node.free.begin(), node.free.end(), lowest_first);
    move_in_order(place.node, node.free.size() + 1);
    --num_free_;
    place.is_free = false;
}

std::vector<SlotId> SlotPool::take(int count, const std::vector<SlotId>& group, const std::vector<SlotId>& avoided) {
    CRESCENDO_EXPECT(count <= num_free_);
    if (!avoided.empty()) {
        std::vector<SlotId> hidden;
        std::ranges::copy_if(avoided, std::back_inserter(hidden), [&](SlotId slot) { return is_free(slot); });
        std::ranges::for_each(hidden, [&](SlotId slot) { withdraw(slot); });
        auto taken = take(std::min(count, num_free_), group);
        std::ranges::for_each(hidden, [&](SlotId slot) { add_free(slot); });
        auto members = group;
        members.insert(members.end(), taken.begin(), taken.end());
        const auto rest = take(count - static_cast<int>(taken.size()), members);
        taken.insert(taken.end(), rest.begin(), rest.end());
        return taken;
    }
    const auto wanted = static_cast<std::size_t>(count);
    std::vector<SlotId> taken;
    taken.reserve(wanted);
    for (const auto slot : group) {
        take_from(place_of(slot).node, wanted - taken.size(), group, taken);
    }
    while (taken.size() < wanted) {
        const auto missing = wanted - taken.size();
        take_from(best_node(missing), missing, group, taken);
    }
    num_free_ -= count;
    return taken;
}

void SlotPool::release(const std::vector<SlotId>& slots) {
    for (const auto slot : slots) {
        const auto& place = place_of(slot);
        if (place.gpu) {
            --nodes_[place.node].taken_on.at(*place.gpu);
        }
        add_free(slot);
    }
}

void SlotPool::add_free(SlotId slot) {
    auto& place = place_of(slot);
    CRESCENDO_EXPECT(place.is_here && !place.is_free);
    place.is_free = true;
    auto& node = nodes_[place.node];
    node.free.push_back(slot);
    std::push_heap(node.free.begin(), node.free.end(), lowest_first);
    move_in_order(place.node, node.free.size() - 1);
    ++num_free_;
}

std::vector<SlotId> SlotPool::slots() const {
    std::vector<SlotId> ids;
    for (SlotId slot; index_of(slot) < places_.size(); ++slot.value) {
        if (place_of(slot).is_here) {
            ids.push_back(slot);
        }
    }
    return ids;
}

std::size_t SlotPool::index_of(NodeId node) {
    const auto [found, is_new] = indices_.try_emplace(node, nodes_.size());
    if (is_new) {
        nodes_.push_back({node, {}, {}});
    }
    return found->second;
}

/// The node with the fewest free slots that still has `count`, so that large groups find whole nodes
/// later; where there is none, the node with the most. Of several, the lowest.
std::size_t SlotPool::best_node(std::size_t count) const {
    constexpr NodeId lowest{std::numeric_limits<std::int32_t>::min()};
    auto found = by_num_free_.lower_bound({count, lowest, 0});
    if (found == by_num_free_.end()) {
        found = by_num_free_.lower_bound({std::get<0>(*by_num_free_.rbegin()), lowest, 0});
    }
    return std::get<2>(*found);
}

/// Takes up to `count` free slots of a node for `group`, which has those in `taken` besides.
void SlotPool::take_from(std::size_t index, std::size_t count, const std::vector<SlotId>& group,
                         std::vector<SlotId>& taken) {
    auto& node = nodes_[index];
    const auto before = node.free.size();
    const auto num_taken = std::min(count, before);
    const bool shares_gpus = num_taken > 0 && !node.taken_on.empty();
    std::map<int, int> members;  // of the group, on each shared GPU of the node
    for (const auto* slots : {&group, &std::as_const(taken)}) {
        for (std::size_t i = 0; shares_gpus && i < slots->size(); ++i) {
            if (const auto& place = place_of((*slots)[i]); place.node == index && place.gpu) {
                ++members[*place.gpu];
            }
        }
    }
    for (std::size_t i = 0; i < num_taken; ++i) {
        const auto slot = shares_gpus ? pop_by_gpus(node, members) : pop_lowest(node);
        taken.push_back(slot);
        place_of(slot).is_free = false;
        if (const auto gpu = place_of(slot).gpu) {
            ++members[*gpu];
            ++node.taken_on.at(*gpu);
        }
    }
    if (node.free.size() < before) {
        move_in_order(index, before);
    }
}

SlotId SlotPool::pop_lowest(Node& node) {
    std::pop_heap(node.free.begin(), node.free.end(), lowest_first);
    const auto slot = node.free.back();
    node.free.pop_back();
    return slot;
}

/// Two workers of a group on one GPU gain little, and NCCL refuses them; two trials on one GPU slow each other down.
SlotId SlotPool::pop_by_gpus(Node& node, const std::map<int, int>& members) {
    const auto rank = [&](SlotId slot) {
        const auto gpu = place_of(slot).gpu;
        const auto of_group = gpu ? members.find(*gpu) : members.end();
        return std::tuple(of_group == members.end() ? 0 : of_group->second, gpu ? node.taken_on.at(*gpu) : 0, slot);
    };
    const auto best = std::ranges::min_element(node.free, {}, rank);
    const auto slot = *best;
    node.free.erase(best);
    std::make_heap(node.free.begin(), node.free.end(), lowest_first);
    return slot;
}

/// Puts a node, whose number of free slots has changed, where it stands among the nodes now.
void SlotPool::move_in_order(std::size_t index, std::size_t num_free_before) {
    const auto& node = nodes_[index];
    auto place = by_num_free_.extract({num_free_before, node.id, index});
    if (node.free.empty()) {
        return;
    }
    if (place) {
        std::get<0>(place.value()) = node.free.size();
        by_num_free_.insert(std::move(place));
    } else {
        by_num_free_.insert({node.free.size(), node.id, index});
    }
}

}  // namespace crescendo
