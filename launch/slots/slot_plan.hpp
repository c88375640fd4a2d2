#pragma once

#include <optional>
#include <string>
#include <vector>

#include "launch/json/json.hpp"
#include "launch/slots/node_resources.hpp"

namespace crescendo::launch {

/// Whether workers are bound to cores of their own.
enum class Binding {
    automatic,  ///< on if the cores are ours alone: in a batch job, or if the slots take all cores
    on,
    off
};

/// Resources of one slot's worker.
struct SlotResources {
    std::string gpu;               ///< the GPU's name in CUDA_VISIBLE_DEVICES; empty: the worker computes on cores
    int threads = 1;               ///< number of compute threads
    std::vector<int> cpus = {};    ///< hardware threads to which the worker is bound; empty: it is not bound
    std::optional<int> numa = {};  ///< NUMA node of `cpus`, if they are all on one
    int slots_on_gpu = 1;          ///< number of slots that share the GPU
};

/// How a node's resources are divided into slots. A slot has whole cores, and no core is in two slots. If possible, the
/// cores of a slot are on one NUMA node, which is that of its GPU.
///
/// With G GPUs, slot i is on GPU i mod G. So consecutive slots, which are likely to train one trial, are on different
/// GPUs if there are enough.
struct SlotPlan {
    std::vector<SlotResources> slots;
    std::string unbound;   ///< why workers are not bound to cores; empty if they are
    std::string crowding;  ///< a warning if ranks of this node have slots on the same cores or GPU names; else empty

    struct Wishes {
        std::optional<int> slots = {};  ///< none: as many as the GPUs have, or as the cores allow with `cpus_per_slot`
        int cpus_per_slot = 1;          ///< cores of a slot without a GPU; slots with GPUs divide all cores
        Binding bind = Binding::on;
        int slots_per_gpu = 1;  ///< number of slots that share a GPU, unless `slots` gives the node's total

        /// These wishes, overridden by a command's options, of which at most one may be set.
        Wishes with(const std::optional<int>& slots, const std::optional<int>& slots_per_gpu) const;
    };

    /// Plans the slots of `node`. `wishes.slots` may exceed the number of cores: then each slot gets one thread, and
    /// workers are not bound.
    static SlotPlan make(const NodeResources& node, const Wishes& wishes);

    int num_slots() const { return static_cast<int>(slots.size()); }

    /// Lets the workers run on any core. `reason` says why.
    void unbind(const std::string& reason);
};

/// The number of GPUs that a node's slots are on, if several slots share one; else 0.
int num_shared_gpus(const std::vector<SlotResources>& slots);

// Slot plans as JSON, for messages between nodes.
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(SlotPlan::Wishes, slots, cpus_per_slot, bind, slots_per_gpu)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(SlotResources, gpu, threads, cpus, numa, slots_on_gpu)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(SlotPlan, unbound, slots)

}  // namespace crescendo::launch
