#pragma once

#include <array>
#include <chrono>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "launch/process/shell.hpp"

namespace crescendo::launch {

/// The parts of a job's id as sbatch prints it, "17;wice" or "17": the number, and the cluster, which may be empty.
std::string number_of(const std::string& job);
std::string cluster_of(const std::string& job);

/// The command, with the option that selects the job's cluster if the id names one.
std::vector<std::string> about(std::vector<std::string> command, const std::string& job);

/// Runs one of Slurm's commands. The command does not see the variables of our own job, so `command` must name its job.
/// It also does not see `hidden`, nor the variables with which a user makes squeue and sinfo leave out jobs and nodes.
/// Outside a job, it does see which of several clusters the user has chosen. Killed after `patience`.
ToolResult run_slurm_tool(const std::vector<std::string>& command,
                          const std::set<std::string, std::less<>>& hidden = {},
                          std::chrono::seconds patience = ToolOptions().patience);

/// Slurm's message contains one of these if it will never queue a job again, but none if it only cannot now. For a job
/// that is not requeueable it says "Requested operation is presently disabled".
inline constexpr std::array<std::string_view, 3> requeue_refusals{"disabled", "not permitted", "denied"};

/// What squeue prints for a job with this --format. If `states` is given, only for a job in one of them. Empty if
/// squeue has no such job, or has forgotten it, which happens some minutes after a job's end. std::nullopt if Slurm
/// cannot be asked, because it is not installed or does not answer.
std::optional<std::string> ask_squeue(const std::string& job, const std::string& format, const std::string& states = "",
                                      std::chrono::seconds patience = ToolOptions().patience);

}  // namespace crescendo::launch
