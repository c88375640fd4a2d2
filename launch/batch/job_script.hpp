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

/// Paths in a script; each is nothing where its line was edited into something else than a path.
struct JobPlaces {
    std::optional<std::filesystem::path> directory;  ///< of the sweep that it continues
    std::optional<std::filesystem::path> crescendo;  ///< the program that it launches
    std::optional<std::filesystem::path> working_directory;
};
JobPlaces places_in(const std::string& job_script);

}  // namespace crescendo::launch
