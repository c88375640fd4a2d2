#pragma once

#include <optional>
#include <string>
#include <vector>

#include "launch/slots/node_resources.hpp"

namespace crescendo::launch {

/// Whether workers are kept on cores of their own.
enum class Binding {
    automatic,  ///< where nobody else is to be expected on the cores: in a batch job, or when the slots take them all
    on,
    off
};

/// What a worker of one slot gets.
struct SlotResources {
    std::string gpu;               ///< as CUDA_VISIBLE_DEVICES names it; empty: it computes on its cores
    int threads = 1;               ///< compute threads
    std::vector<int> cpus = {};    ///< the hardware threads it is bound to; empty: to none
    std::optional<int> numa = {};  ///< of its CPUs, where it is bound and all lie on one
};

/// How a node's resources are cut into slots: whole cores, no core in two slots, those of a slot on one NUMA node
/// and that of its GPU as far as they last.
struct SlotPlan {
    std::vector<SlotResources> slots;
    std::string unbound;  ///< why workers are bound to no cores; empty where they are

    struct Wishes {
        std::optional<int> slots = {};  ///< none: one a GPU, or as many as fit `cpus_per_slot` cores each
        int cpus_per_slot = 1;          ///< of slots without a GPU; those with one share all the cores
        Binding bind = Binding::on;
    };

    /// `wishes.slots` may be more than there are cores: they get one thread each, and are not bound.
    static SlotPlan make(const NodeResources& node, const Wishes& wishes);

    int num_slots() const { return static_cast<int>(slots.size()); }

    /// Lets the workers run on any core.
    void unbind(const std::string& reason);
};

}  // namespace crescendo::launch
