#pragma once

#include <optional>
#include <string>
#include <vector>

#include "launch/process/control_group.hpp"
#include "launch/slots/gpus.hpp"
#include "launch/slots/topology.hpp"

namespace crescendo::launch {

/// The resources of this node for workers.
struct NodeResources {
    std::vector<Gpu> gpus;
    std::vector<Core> cores{Core{}};  ///< cores that this process may use
    bool allotted = false;            ///< whether a batch system reserved the cores for this process

    /// Processor time in cores that a container's limit allows this process, which may run on all its cores; nothing
    /// without a limit.
    std::optional<double> cpu_time = {};

    static NodeResources detect();

    /// All CPUs of `cores`, in ascending order.
    std::vector<int> cpus() const;
};

/// The smallest limit on processor time, in CPUs, of a group and its ancestors.
std::optional<double> cpu_limit(const ControlGroup& group);

/// Says that Open MPI's launcher binds this process to only a part of the launcher's own CPUs, as it does by default
/// with one or two processes, so that the node has few slots; empty if it does not.
std::string binding_of_launcher();

}  // namespace crescendo::launch
