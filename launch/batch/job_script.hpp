#pragma once

#include <string>

#include "launch/batch/batch_system.hpp"

namespace crescendo::launch {

/// Set by the job script: a file for the exit code of rank 0. There, `resume` leaves a request to stop as it is.
inline constexpr const char* exit_status_variable = "CRESCENDO_EXIT_STATUS";

/// The script of a batch job: one launch of ranks over all nodes, a drain before the end of the job's time, a new job
/// after it, and another launch when a node or the coordinator is lost (docs/slurm.md). Throws InvalidInput if a value
/// of the request cannot be written into a script.
std::string job_script(const JobRequest& request, const BatchSystem& system);

}  // namespace crescendo::launch
