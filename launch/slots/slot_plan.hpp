#pragma once

#include <optional>
#include <string>
#include <vector>

#include "launch/slots/node_resources.hpp"

namespace crescendo::launch {

/// Whether workers are kept on cores of their own.
enum class Binding {
    automatic,  ///< on if the cores are ours alone: in a batch job, or if the slots take all cores
    on,
    off
};

/// What a worker of one slot gets.
struct SlotResources {
    std::string gpu;               ///< the GPU as CUDA_VISIBLE_DEVICES names it; empty: the worker computes on cores
    int threads = 1;               ///< number of compute threads
    std::vector<int> cpus = {};    ///< hardware threads to which the worker is bound; empty: it is not bound
    std::optional<int> numa = {};  ///< NUMA node of `cpus`, if they all lie on one
    int slots_on_gpu = 1;          ///< number of slots that share the GPU
};

/// How a node's resources are cut into slots. A slot has whole cores, and no core is in two slots. As far as possible,
/// the cores of a slot are on one NUMA node, which is that of its GPU.
///
/// Slot i is on GPU i mod G. So slots that follow on each other, which are likely to train one trial, are on different
/// GPUs as long as there are so many.
struct SlotPlan {
    std::vector<SlotResources> slots;
    std::string unbound;   ///< why workers are not bound to cores; empty if they are
    std::string crowding;  ///< that other ranks of this node have slots on the same cores, or on GPUs of the same names

    struct Wishes {
        std::optional<int> slots = {};  ///< none: as many as the GPUs have, or as fit `cpus_per_slot` cores each
        int cpus_per_slot = 1;          ///< cores of a slot without a GPU; slots with a GPU share all cores
        Binding bind = Binding::on;
        int slots_per_gpu = 1;  ///< how many slots share a GPU, unless `slots` says how many the node has

        /// These wishes, but for those of a command's options, of which at most one is given.
        Wishes with(const std::optional<int>& slots, const std::optional<int>& slots_per_gpu) const;
    };

    /// Plans the slots of `node`. `wishes.slots` may exceed the number of cores: then each slot gets one thread, and
    /// workers are not bound.
    static SlotPlan make(const NodeResources& node, const Wishes& wishes);

    int num_slots() const { return static_cast<int>(slots.size()); }

    /// Lets the workers run on any core, because of `reason`.
    void unbind(const std::string& reason);
};

/// The number of GPUs that a node's slots are on, if several share one; else 0.
int num_shared_gpus(const std::vector<SlotResources>& slots);

}  // namespace crescendo::launch
