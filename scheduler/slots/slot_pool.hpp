#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <vector>

#include "core/ids.hpp"
#include "scheduler/events.hpp"

namespace crescendo {

/// The slots of a sweep: which ones exist, which are free, and which a group takes next.
///
/// The order in which slots joined or became free makes no difference. Taking or releasing a slot costs O(log n) in the
/// number of slots and nodes; taking one on a node whose slots share GPUs costs O(m) in the number of free slots there.
class SlotPool {
  public:
    /// Ids are lower than this, and not negative: 64 MB.
    static constexpr std::int32_t end_of_ids = 1 << 22;

    /// Adds a free slot. It may have been lost before, but must not be there now.
    void join(Slot slot);

    /// Removes a free slot. knows() still returns true for it.
    void lose(SlotId slot);

    /// Takes `count` of the free slots (there must be as many) on as few nodes as possible: first on nodes where
    /// `group` already has slots, then on the node that they fill best. On one node, the lowest ids come first. Where
    /// slots share GPUs, those come before on whose GPU the group has the fewest workers, and of these the ones on
    /// whose GPU the fewest slots are taken. Slots in `avoided`, which are there, are taken once no others are free.
    std::vector<SlotId> take(int count, const std::vector<SlotId>& group, const std::vector<SlotId>& avoided = {});

    /// Frees slots that were taken.
    void release(const std::vector<SlotId>& slots);

    bool has(SlotId slot) const { return knows(slot) && place_of(slot).is_here; }
    /// Whether the slot ever joined.
    bool knows(SlotId slot) const { return index_of(slot) < places_.size() && place_of(slot).is_known; }
    /// Where a slot is that has joined.
    Slot slot(SlotId id) const { return {id, nodes_[place_of(id).node].id, place_of(id).gpu}; }
    bool is_free(SlotId slot) const { return has(slot) && place_of(slot).is_free; }

    int size() const { return size_; }
    int num_free() const { return num_free_; }
    /// All slots that are there, in the order of their ids.
    std::vector<SlotId> slots() const;

  private:
    struct Place {
        std::size_t node = 0;  // index into nodes_
        std::optional<int> gpu = {};
        bool is_known = false;
        bool is_here = false;
        bool is_free = false;
    };
    struct Node {
        NodeId id;
        std::vector<SlotId> free;     // a heap, lowest first
        std::map<int, int> taken_on;  // slots taken on each shared GPU; empty if slots share none
    };
    /// Nodes by their number of free slots, then by id; with their indices.
    using Order = std::set<std::tuple<std::size_t, NodeId, std::size_t>>;

    static std::size_t index_of(SlotId slot) { return static_cast<std::size_t>(slot.value); }
    const Place& place_of(SlotId slot) const { return places_[index_of(slot)]; }
    Place& place_of(SlotId slot) { return places_[index_of(slot)]; }
    std::size_t index_of(NodeId node);
    std::size_t best_node(std::size_t count) const;
    void add_free(SlotId slot);
    void withdraw(SlotId slot);
    void take_from(std::size_t node, std::size_t count, const std::vector<SlotId>& group, std::vector<SlotId>& taken);
    SlotId pop_lowest(Node& node);
    SlotId pop_by_gpus(Node& node, const std::map<int, int>& members);
    void move_in_order(std::size_t node, std::size_t num_free_before);

    std::vector<Place> places_;  // by slot
    std::vector<Node> nodes_;
    std::map<NodeId, std::size_t> indices_;
    Order by_num_free_;  // nodes with free slots
    int size_ = 0;
    int num_free_ = 0;
};

}  // namespace crescendo
