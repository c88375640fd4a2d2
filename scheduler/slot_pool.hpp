#pragma once

#include <cstddef>
#include <map>
#include <set>
#include <vector>

#include "core/ids.hpp"
#include "scheduler/events.hpp"

namespace crescendo {

/// The slots of a sweep: which there are, which of them are free, and which a group takes next.
///
/// Independent of the order in which slots joined or became free.
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

    bool has(SlotId slot) const { return joined_.contains(slot); }
    /// Whether it ever joined.
    bool knows(SlotId slot) const { return known_.contains(slot); }

    int size() const { return static_cast<int>(joined_.size()); }
    int num_free() const { return num_free_; }
    std::vector<SlotId> slots() const;

  private:
    NodeId best_node(std::size_t count) const;
    void take_from(NodeId node, std::size_t count, std::vector<SlotId>& taken);

    std::map<SlotId, NodeId> joined_;
    std::set<SlotId> known_;
    std::map<NodeId, std::set<SlotId>> free_;  // no node without a free slot
    int num_free_ = 0;
};

}  // namespace crescendo
