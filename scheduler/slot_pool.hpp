#pragma once

#include <cstddef>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "core/ids.hpp"
#include "scheduler/events.hpp"

namespace crescendo {

/// The slots of a sweep: which there are, which of them are free, and which a group takes next.
///
/// Independent of the order in which slots joined or became free. Taking and releasing a slot costs O(log n) in the
/// slots and nodes there are.
class SlotPool {
  public:
    /// Adds a free slot. It may have been lost before, but must not be there now.
    void join(Slot slot);

    /// Removes a free slot. It is remembered as known.
    void lose(SlotId slot);

    /// Takes `count` of the free slots (there must be as many) on as few nodes as possible: first on the
    /// nodes where `group` has slots already, then on the node that they fill best. On a node, lowest first.
    std::vector<SlotId> take(int count, const std::vector<SlotId>& group);

    /// Frees slots that were taken.
    void release(const std::vector<SlotId>& slots);

    bool has(SlotId slot) const;
    /// Whether it ever joined.
    bool knows(SlotId slot) const { return slots_.contains(slot); }

    int size() const { return size_; }
    int num_free() const { return num_free_; }
    /// In the order of their ids.
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

    std::map<SlotId, Place> slots_;  // all that ever joined
    std::map<NodeId, FreeSlots> free_;
    std::set<std::pair<std::size_t, NodeId>> by_num_free_;  // nodes with free slots
    int size_ = 0;
    int num_free_ = 0;
};

}  // namespace crescendo
