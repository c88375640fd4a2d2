#pragma once

#include <optional>
#include <string>
#include <vector>

namespace crescendo::launch {

/// What this node offers to workers.
struct NodeResources {
    std::vector<std::string> gpus;  ///< as CUDA_VISIBLE_DEVICES names them
    int cores = 1;                  ///< that this process may use

    /// CUDA_VISIBLE_DEVICES where it is set, else the NVIDIA devices there are; the cores of our affinity mask.
    static NodeResources detect();
};

/// How the node's resources are cut into slots.
struct SlotPlan {
    std::vector<std::string> gpus;  ///< the slots take turns at these; none: cores
    int num_slots = 1;
    int threads = 1;  ///< of each worker: together no more than the cores, unless there are more slots than cores

    /// `slots` as the sweep asks; none: one a GPU, or as many as fit `cpus_per_slot` cores each.
    static SlotPlan make(const NodeResources& node, std::optional<int> slots, int cpus_per_slot);
};

/// This node's name.
std::string host_name();

}  // namespace crescendo::launch
