#pragma once

#include <string>
#include <utility>
#include <vector>

#include "launch/agent/worker_options.hpp"

namespace crescendo::launch {

/// A trial as the work of one of its program's processes, which is one rank of the trial's group.
struct ProgramWork {
    JoinGroup order;
    int rank = 0;

    const protocol::Join& join() const { return order.join; }

    /// Path of the file to which the trial's processes print.
    std::string log() const;

    /// Whether the trial has reported, in this session or an earlier one.
    bool has_reported() const { return join().reported && join().reported->value > 0; }
};

/// The environment that docs/trial-protocol.md promises to every program. The worker is on `slot`.
std::vector<std::pair<std::string, std::string>> environment_of(const ProgramWork& work, SlotId slot,
                                                                const WorkerOptions& options);

/// Writes the host file of a group, in the form that mpirun and DeepSpeed take: each host with its number of workers.
/// Does nothing unless the group has several members and this is the first. Each host has one line, even if the ranks
/// of a group that grew alternate between hosts. Throws WriteError: with only part of the file, a program would train
/// on fewer hosts.
void write_hosts(const ProgramWork& work, const WorkerOptions& options);

}  // namespace crescendo::launch
