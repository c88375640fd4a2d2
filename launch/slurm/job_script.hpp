#pragma once

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "launch/messages/json.hpp"
#include "launch/slurm/site_profile.hpp"

namespace crescendo::launch {

/// A request for a batch job that works on one sweep.
struct JobRequest {
    std::string name;
    std::filesystem::path directory;          ///< the sweep's directory; absolute, as all nodes see it
    std::filesystem::path log;                ///< what the job prints; absolute, with "%j" for the job's number
    std::filesystem::path working_directory;  ///< absolute
    std::filesystem::path crescendo;          ///< path of our executable; absolute
    JobOptions options;                       ///< the user's options over the site's defaults
    SiteProfile site;                         ///< site profile, in which the launcher is set
};

/// The script for sbatch: one job step over all nodes, a drain before the end of the job's time, a new job after it,
/// and another launch of the step when a node or the coordinator is lost (docs/slurm.md). Throws InvalidInput if a
/// value cannot be written into a script.
std::string job_script(const JobRequest& request);

}  // namespace crescendo::launch
