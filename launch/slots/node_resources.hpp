#pragma once

#include <optional>
#include <string>
#include <vector>

#include "launch/process/control_group.hpp"
#include "launch/slots/gpus.hpp"
#include "launch/slots/topology.hpp"

namespace crescendo::launch {

/// What this node offers to workers.
struct NodeResources {
    std::vector<Gpu> gpus;
    std::vector<Core> cores{Core{}};  ///< cores that this process may use
    bool allotted = false;            ///< whether a batch system reserved the cores for this process

    /// How many cores' time a container's limit leaves this process, which may use them all; nothing without a limit.
    std::optional<double> cpu_time = {};

    static NodeResources detect();

    /// Every CPU of `cores`, in ascending order.
    std::vector<int> cpus() const;
};

/// The least limit on processor time, in CPUs, of a group and of those around it.
std::optional<double> cpu_limit(const ControlGroup& group);

/// That Open MPI's launcher keeps this process on few of the CPUs which it has itself, as it does by default with one
/// or two processes, so that a node has few slots; empty if it does not.
std::string binding_of_launcher();

}  // namespace crescendo::launch
