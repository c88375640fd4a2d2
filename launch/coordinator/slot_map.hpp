#pragma once

#include <map>
#include <set>
#include <vector>

#include "scheduler/events.hpp"

namespace crescendo::launch {

/// Maps each slot of a session to its node.
class SlotMap {
  public:
    explicit SlotMap(const std::vector<Slot>& slots) {
        for (const auto& slot : slots) {
            nodes_[slot.id] = slot.node;
        }
    }

    int size() const { return static_cast<int>(nodes_.size()); }
    SlotId first() const { return nodes_.begin()->first; }
    NodeId node_of(SlotId slot) const { return nodes_.at(slot); }

    std::set<NodeId> nodes_of(const std::vector<SlotId>& slots) const {
        std::set<NodeId> nodes;
        for (const auto slot : slots) {
            nodes.insert(node_of(slot));
        }
        return nodes;
    }

    std::vector<Slot> slots() const {
        std::vector<Slot> slots;
        for (const auto& [slot, node] : nodes_) {
            slots.push_back({slot, node});
        }
        return slots;
    }

    std::set<SlotId> slots_of(NodeId node) const {
        std::set<SlotId> slots;
        for (const auto& [slot, its_node] : nodes_) {
            if (its_node == node) {
                slots.insert(slot);
            }
        }
        return slots;
    }

  private:
    std::map<SlotId, NodeId> nodes_;
};

}  // namespace crescendo::launch
