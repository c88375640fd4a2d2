#pragma once

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "launch/messages/json.hpp"

namespace crescendo::launch {

/// What a batch job asks for. The site's defaults, and then Slurm's, fill in what is not set.
struct JobOptions {
    std::optional<int> nodes;
    std::optional<std::chrono::seconds> time;
    std::optional<std::string> partition;
    std::optional<std::string> account;
    std::optional<int> gpus_per_node;
    std::optional<int> cpus_per_task;
    std::vector<std::string> sbatch;  ///< more options, each "--name", "--name=value" or "--name value"

    /// These options, with `defaults` for those that are not set. The `sbatch` options of `defaults` come before ours.
    JobOptions over(const JobOptions& defaults) const;
};

/// Options as `run.json` keeps them. Options that are not set are absent.
void to_json(Json& json, const JobOptions& options);
void from_json(const Json& json, JobOptions& options);

/// What differs between clusters, as a site profile says.
struct SiteProfile {
    std::string launcher;  ///< shell words that start MPI programs; empty: srun
    std::vector<std::string> modules;
    std::vector<std::string> setup;  ///< lines of shell before the launch
    std::vector<std::pair<std::string, std::string>> environment;
    std::string interface;           ///< network interface for groups; empty: that of the default route
    std::chrono::seconds lead{120};  ///< time kept at the end of a job to save what runs
    JobOptions defaults;
};

/// Reads a site profile. Throws InvalidInput with file, line, column and key, the problem and the remedy.
SiteProfile read_site_profile(const std::filesystem::path& path);

/// Reads a site profile from `text`. `file` is its name in messages.
SiteProfile parse_site_profile(const std::string& text, const std::filesystem::path& file);

/// Path of the site profile: $CRESCENDO_SITE, else the first that exists of ~/.config/crescendo/site.yaml and
/// /etc/crescendo/site.yaml.
std::optional<std::filesystem::path> find_site_profile();

}  // namespace crescendo::launch
