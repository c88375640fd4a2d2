#pragma once

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "launch/messages/json.hpp"
#include "launch/slurm/site_profile.hpp"

namespace crescendo::launch {

/// A batch job that goes on with one sweep.
struct JobRequest {
    std::string name;
    std::filesystem::path directory;          ///< of the sweep; absolute, as all nodes see it
    std::filesystem::path log;                ///< what the job prints; absolute, with "%j" for the job's number
    std::filesystem::path working_directory;  ///< absolute
    std::filesystem::path crescendo;          ///< our executable; absolute
    JobOptions options;                       ///< the site's, overlaid by the user's
    SiteProfile site;                         ///< with a launcher
};

/// The script for sbatch: one job step over all nodes, a drain before the end of the job's time and a new job after
/// it, and the step launched anew when a node or the coordinator is lost (docs/slurm.md).
/// Throws InvalidInput where a value cannot stand in a script.
std::string job_script(const JobRequest& request);

}  // namespace crescendo::launch
