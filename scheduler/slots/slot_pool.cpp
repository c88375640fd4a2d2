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
    auto& place = place_of(slot.id);
    place = {.node = index_of(slot.node), .gpu = slot.gpu, .is_known = true, .is_here = true};
    auto* gpu = slot.gpu ? &nodes_[place.node].gpus[*slot.gpu] : nullptr;
    ++size_;
    most_of_group_ += is_place(gpu, &Gpu::num_slots) ? 1 : 0;
    if (gpu != nullptr) {
        ++gpu->num_slots;
    }
    add_free(slot.id);
}

void SlotPool::lose(SlotId slot) {
    withdraw(slot);
    auto& place = place_of(slot);
    place.is_here = false;
    auto* gpu = gpu_of(place);
    if (gpu != nullptr) {
        --gpu->num_slots;
    }
    --size_;
    most_of_group_ -= is_place(gpu, &Gpu::num_slots) ? 1 : 0;
}

/// Makes a free slot unavailable. O(n), which is fine because it is rare.
void SlotPool::withdraw(SlotId slot) {
    const auto& place = place_of(slot);
    CRESCENDO_EXPECT(place.is_here && place.is_free);
    auto& node = nodes_[place.node];
    const auto before = node.num_places;
    std::erase(node.free, slot);
    std::make_heap(node.free.begin(), node.free.end(), lowest_first);
    note_not_free(slot);
    move_in_order(place.node, before);
}

int SlotPool::num_free_for(const std::vector<SlotId>& group) const {
    if (most_of_group_ == size_) {
        return num_free_;  // every slot is a place
    }
    std::set<std::pair<std::size_t, int>> refused;
    for (const auto slot : group) {
        const auto& place = place_of(slot);
        if (place.gpu && nodes_[place.node].gpus.at(*place.gpu).num_free > 0) {
            refused.emplace(place.node, *place.gpu);
        }
    }
    return num_places_ - static_cast<int>(refused.size());
}

std::vector<SlotId> SlotPool::take(int count, const std::vector<SlotId>& group, const std::vector<SlotId>& avoided) {
    CRESCENDO_EXPECT(count <= num_free_for(group));
    if (!avoided.empty()) {
        std::vector<SlotId> hidden;
        std::ranges::copy_if(avoided, std::back_inserter(hidden), [&](SlotId slot) { return is_free(slot); });
        std::ranges::for_each(hidden, [&](SlotId slot) { withdraw(slot); });
        auto taken = take(std::min(count, num_free_for(group)), group);
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
        take_from(best_node(missing, group, taken), missing, group, taken);
    }
    return taken;
}

void SlotPool::release(const std::vector<SlotId>& slots) {
    for (const auto slot : slots) {
        if (auto* gpu = gpu_of(place_of(slot))) {
            --gpu->num_taken;
        }
        add_free(slot);
    }
}

void SlotPool::add_free(SlotId slot) {
    auto& place = place_of(slot);
    CRESCENDO_EXPECT(place.is_here && !place.is_free);
    place.is_free = true;
    auto& node = nodes_[place.node];
    const auto before = node.num_places;
    node.free.push_back(slot);
    std::push_heap(node.free.begin(), node.free.end(), lowest_first);
    ++num_free_;
    auto* gpu = gpu_of(place);
    if (is_place(gpu, &Gpu::num_free)) {
        ++node.num_places;
        ++num_places_;
    }
    if (gpu != nullptr) {
        ++gpu->num_free;
    }
    move_in_order(place.node, before);
}

/// A slot is no longer free on its node: it was taken, is hidden, or will be lost.
void SlotPool::note_not_free(SlotId slot) {
    auto& place = place_of(slot);
    place.is_free = false;
    --num_free_;
    auto* gpu = gpu_of(place);
    if (gpu != nullptr) {
        --gpu->num_free;
    }
    if (is_place(gpu, &Gpu::num_free)) {
        --nodes_[place.node].num_places;
        --num_places_;
    }
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
        nodes_.push_back({.id = node});
    }
    return found->second;
}

/// The shared GPU of a slot that joined; null if its GPU is not shared.
SlotPool::Gpu* SlotPool::gpu_of(const Place& place) {
    return place.gpu ? &nodes_[place.node].gpus.at(*place.gpu) : nullptr;
}

/// The node with the fewest places that still has `count`, so that large groups find whole nodes later; if there is
/// none, the node with the most. Of several, the lowest. Nodes where the group has slots have no place left for it:
/// without shared GPUs, the order does not contain them any more; with shared GPUs, they are skipped.
std::size_t SlotPool::best_node(std::size_t count, const std::vector<SlotId>& group,
                                const std::vector<SlotId>& taken) const {
    constexpr NodeId lowest{std::numeric_limits<std::int32_t>::min()};
    const auto is_other = [&](const Order::value_type& node) {
        const auto index = std::get<2>(node);
        const auto is_here = [&](SlotId slot) { return place_of(slot).node == index; };
        return nodes_[index].gpus.empty() ||
               !(std::ranges::any_of(group, is_here) || std::ranges::any_of(taken, is_here));
    };
    auto end = by_num_places_.end();
    for (auto begin = by_num_places_.lower_bound({count, lowest, 0});;
         begin = by_num_places_.lower_bound({std::get<0>(*std::prev(end)), lowest, 0})) {
        if (const auto found = std::find_if(begin, end, is_other); found != end) {
            return std::get<2>(*found);
        }
        end = begin;
        CRESCENDO_EXPECT(end != by_num_places_.begin());
    }
}

/// Takes up to `count` free slots of a node for `group`, which also has the slots in `taken`.
void SlotPool::take_from(std::size_t index, std::size_t count, const std::vector<SlotId>& group,
                         std::vector<SlotId>& taken) {
    auto& node = nodes_[index];
    const auto before = node.num_places;
    if (count == 0 || before == 0) {
        return;
    }
    auto members = members_on(index, group);
    for (const auto& [gpu, num_members] : members_on(index, taken)) {
        members[gpu] += num_members;
    }
    const auto num_taken = std::min(count, num_usable(node, members));
    for (std::size_t i = 0; i < num_taken; ++i) {
        const auto slot = node.gpus.empty() ? pop_lowest(node) : pop_by_gpus(node, members);
        taken.push_back(slot);
        note_not_free(slot);
        const auto& place = place_of(slot);
        if (auto* gpu = gpu_of(place)) {
            ++members[*place.gpu];
            ++gpu->num_taken;
        }
    }
    move_in_order(index, before);
}

SlotPool::Members SlotPool::members_on(std::size_t node, const std::vector<SlotId>& group) const {
    Members members;
    for (std::size_t i = 0; !nodes_[node].gpus.empty() && i < group.size(); ++i) {
        if (const auto& place = place_of(group[i]); place.node == node && place.gpu) {
            ++members[*place.gpu];
        }
    }
    return members;
}

/// How many free slots of a node a group with these members there can have.
std::size_t SlotPool::num_usable(const Node& node, const Members& members) const {
    const auto is_refused = [&](const auto& member) { return node.gpus.at(member.first).num_free > 0; };
    return node.num_places -
           (distinct_gpus_ ? static_cast<std::size_t>(std::ranges::count_if(members, is_refused)) : 0);
}

SlotId SlotPool::pop_lowest(Node& node) {
    std::pop_heap(node.free.begin(), node.free.end(), lowest_first);
    const auto slot = node.free.back();
    node.free.pop_back();
    return slot;
}

/// Two workers of a group on one GPU gain little, and NCCL refuses them; two trials on one GPU slow each other down.
SlotId SlotPool::pop_by_gpus(Node& node, const Members& members) {
    const auto rank = [&](SlotId slot) {
        const auto gpu = place_of(slot).gpu;
        const auto of_group = gpu ? members.find(*gpu) : members.end();
        return std::tuple(of_group == members.end() ? 0 : of_group->second, gpu ? node.gpus.at(*gpu).num_taken : 0,
                          slot);
    };
    const auto best = std::ranges::min_element(node.free, {}, rank);
    const auto slot = *best;
    node.free.erase(best);
    std::make_heap(node.free.begin(), node.free.end(), lowest_first);
    return slot;
}

/// Moves a node, whose number of places may have changed, to its new position in the order of nodes.
void SlotPool::move_in_order(std::size_t index, std::size_t num_places_before) {
    const auto& node = nodes_[index];
    if (node.num_places == num_places_before) {
        return;
    }
    auto place = by_num_places_.extract({num_places_before, node.id, index});
    if (node.num_places == 0) {
        return;
    }
    if (place) {
        std::get<0>(place.value()) = node.num_places;
        by_num_places_.insert(std::move(place));
    } else {
        by_num_places_.insert({node.num_places, node.id, index});
    }
}

}  // namespace crescendo
