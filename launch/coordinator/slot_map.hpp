#pragma once

#include <map>
#include <set>
#include <vector>

#include "core/mapped.hpp"
#include "scheduler/events.hpp"

namespace crescendo::launch {

/// The slots of a session by id, each with its node.
class SlotMap {
  public:
    explicit SlotMap(const std::vector<Slot>& slots) {
        for (const auto& slot : slots) {
            slots_.emplace(slot.id, slot);
        }
    }

    int size() const { return static_cast<int>(slots_.size()); }
    const Slot& slot(SlotId slot) const { return slots_.at(slot); }
    NodeId node_of(SlotId slot) const { return slots_.at(slot).node; }

    std::set<NodeId> nodes_of(const std::vector<SlotId>& slots) const {
        std::set<NodeId> nodes;
        for (const auto slot : slots) {
            nodes.insert(node_of(slot));
        }
        return nodes;
    }

    std::vector<Slot> slots() const {
        return mapped(slots_, [](const auto& each) { return each.second; });
    }

    std::set<SlotId> slots_of(NodeId node) const {
        std::set<SlotId> slots;
        for (const auto& [id, slot] : slots_) {
            if (slot.node == node) {
                slots.insert(id);
            }
        }
        return slots;
    }

  private:
    std::map<SlotId, Slot> slots_;
};

}  // namespace crescendo::launch
