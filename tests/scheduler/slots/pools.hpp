#pragma once

#include <vector>

#include "scheduler/slots/slot_pool.hpp"

namespace crescendo::tests {

/// Nodes with these numbers of slots, numbered consecutively: {2, 1} is slots 0 and 1 on node 0, and slot 2 on node 1.
inline SlotPool pool_of(const std::vector<int>& slots_of_nodes) {
    SlotPool pool;
    int slot = 0;
    for (int node = 0; node < static_cast<int>(slots_of_nodes.size()); ++node) {
        for (int i = 0; i < slots_of_nodes[static_cast<std::size_t>(node)]; ++i) {
            pool.join({SlotId{slot++}, NodeId{node}});
        }
    }
    return pool;
}

/// Nodes with these numbers of GPUs, and slots that go round the GPUs of their node.
inline SlotPool pool_on_gpus(const std::vector<int>& gpus_of_nodes, int slots_per_gpu, bool distinct_gpus = false) {
    SlotPool pool{distinct_gpus};
    int slot = 0;
    for (int node = 0; node < static_cast<int>(gpus_of_nodes.size()); ++node) {
        const int num_gpus = gpus_of_nodes[static_cast<std::size_t>(node)];
        for (int i = 0; i < num_gpus * slots_per_gpu; ++i) {
            pool.join({SlotId{slot++}, NodeId{node}, i % num_gpus});
        }
    }
    return pool;
}

inline std::vector<SlotId> ids(const std::vector<int>& values) {
    std::vector<SlotId> slots;
    for (const int value : values) {
        slots.push_back(SlotId{value});
    }
    return slots;
}

}  // namespace crescendo::tests
