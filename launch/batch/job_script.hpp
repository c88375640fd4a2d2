#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "launch/batch/batch_system.hpp"

namespace crescendo::launch {

/// The script of a batch job: one launch of ranks over all nodes, a drain before the end of the job's time, a new job
/// after it, and another launch when a node or the coordinator is lost (docs/slurm.md). Throws InvalidInput if a value
/// of the request cannot be written into a script.
std::string job_script(const JobRequest& request, const BatchSystem& system);

/// The directory of the sweep that a script continues; nothing where its line was edited into something else than a
/// path.
std::optional<std::filesystem::path> directory_of(const std::string& job_script);

}  // namespace crescendo::launch
