#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "launch/batch/batch_system.hpp"

namespace crescendo::launch {

/// The script of a batch job (docs/slurm.md). It launches ranks on all nodes, drains the sweep before the job's time
/// ends, queues a new job after that, and launches again if a node or the coordinator is lost. Throws InvalidInput if a
/// value of the request cannot be written into a script.
std::string job_script(const JobRequest& request, const BatchSystem& system);

/// Paths in a script. A path is nothing if its line was edited into something else.
struct JobPlaces {
    std::optional<std::filesystem::path> directory;  ///< directory of the sweep that the script continues
    std::optional<std::filesystem::path> crescendo;  ///< the program that the script launches
    std::optional<std::filesystem::path> working_directory;
};
JobPlaces places_in(const std::string& job_script);

}  // namespace crescendo::launch
