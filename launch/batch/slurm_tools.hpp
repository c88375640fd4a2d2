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

/// The parts of a job's id as sbatch answers it, "17;wice" or "17": the number, and the cluster, which may be empty.
std::string number_of(const std::string& job);
std::string cluster_of(const std::string& job);

/// The command with the option by which it is about the job's cluster, if the id names one.
std::vector<std::string> about(std::vector<std::string> command, const std::string& job);

/// Runs one of Slurm's commands. It does not see the variables of our own job, so `command` must say which job it is
/// about; nor those of `hidden`; nor by which the user has squeue and sinfo leave out jobs and nodes. Outside of a
/// job it sees which cluster the user has chosen, of several. After `patience` it is killed.
ToolResult run_slurm_tool(const std::vector<std::string>& command,
                          const std::set<std::string, std::less<>>& hidden = {},
                          std::chrono::seconds patience = ToolOptions().patience);

/// One of these stands in what Slurm says where it will not queue a job again, and not where it cannot now. Of a job
/// that is not requeueable: "Requested operation is presently disabled".
inline constexpr std::array<std::string_view, 3> requeue_refusals{"disabled", "not permitted", "denied"};

/// What squeue prints for a job with this --format. If `states` is given, the job must be in one of them. Empty if
/// squeue has no such job, or has forgotten it, as it does some minutes after the end of a job. std::nullopt if Slurm
/// cannot be asked: it is not installed, or does not answer.
std::optional<std::string> ask_squeue(const std::string& job, const std::string& format, const std::string& states = "",
                                      std::chrono::seconds patience = ToolOptions().patience);

}  // namespace crescendo::launch
