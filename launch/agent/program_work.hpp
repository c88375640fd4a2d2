#pragma once

#include <string>
#include <utility>
#include <vector>

#include "launch/agent/worker_options.hpp"

namespace crescendo::launch {

/// A trial for one of the processes of its program, which is a rank of the trial's group.
struct ProgramWork {
    JoinGroup order;
    int rank = 0;

    const protocol::Join& join() const { return order.join; }

    /// Path of the file that the processes print to.
    std::string log() const;

    /// Whether the trial has reported, in this session or an earlier one.
    bool has_reported() const { return join().reported && join().reported->value > 0; }
};

/// The environment that docs/trial-protocol.md promises to any program. The worker is on `slot`.
std::vector<std::pair<std::string, std::string>> environment_of(const ProgramWork& work, SlotId slot,
                                                                const WorkerOptions& options);

/// Writes the hosts of a group, if it has several members and this is the first, in the form that mpirun and DeepSpeed
/// take, with the number of workers on each. Each host has one line, also where a group that grew has other hosts'
/// ranks between its own. Throws WriteError: with a part of the file a program would train on fewer hosts.
void write_hosts(const ProgramWork& work, const WorkerOptions& options);

}  // namespace crescendo::launch
