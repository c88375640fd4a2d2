#pragma once

#include <cstddef>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "core/ids.hpp"
#include "scheduler/events.hpp"

namespace crescendo {

/// The slots of a sweep: which ones exist, which are free, and which a group takes next.
///
/// The order in which slots joined or became free makes no difference. Taking or releasing a slot costs O(log n) in the
/// number of slots and nodes.
class SlotPool {
  public:
    /// Adds a free slot. It may have been lost before, but must not be there now.
    void join(Slot slot);

    /// Removes a free slot. knows() still returns true for it.
    void lose(SlotId slot);

    /// Takes `count` of the free slots (there must be as many) on as few nodes as possible: first on nodes where
    /// `group` already has slots, then on the node that they fill best. On one node, the lowest ids come first.
    std::vector<SlotId> take(int count, const std::vector<SlotId>& group);

    /// Frees slots that were taken.
    void release(const std::vector<SlotId>& slots);

    bool has(SlotId slot) const;
    /// Whether the slot ever joined.
    bool knows(SlotId slot) const { return slots_.contains(slot); }

    int size() const { return size_; }
    int num_free() const { return num_free_; }
    /// All slots that are there, in the order of their ids.
    std::vector<SlotId> slots() const;

  private:
    struct Place {
        NodeId node;
        bool is_here = true;
    };
    using FreeSlots = std::set<SlotId>;

    NodeId node_of(SlotId slot) const { return slots_.at(slot).node; }
    NodeId best_node(std::size_t count) const;
    void take_from(NodeId node, std::size_t count, std::vector<SlotId>& taken);

    template <class Change>
    void change(NodeId node, Change change);

    std::map<SlotId, Place> slots_;  // all slots that ever joined
    std::map<NodeId, FreeSlots> free_;
    std::set<std::pair<std::size_t, NodeId>> by_num_free_;  // nodes with free slots
    int size_ = 0;
    int num_free_ = 0;
};

}  // namespace crescendo
