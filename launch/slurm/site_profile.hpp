#pragma once

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "launch/messages/json.hpp"

namespace crescendo::launch {

/// What a batch job asks for; what is not set is left to the site, and then to Slurm.
struct JobOptions {
    std::optional<int> nodes;
    std::optional<std::chrono::seconds> time;
    std::optional<std::string> partition;
    std::optional<std::string> account;
    std::optional<int> gpus_per_node;
    std::optional<int> cpus_per_task;
    std::vector<std::string> sbatch;  ///< more options, each "--name", "--name=value" or "--name value"

    /// These, and where they say nothing, `defaults`; the defaults' `sbatch` comes before ours.
    JobOptions over(const JobOptions& defaults) const;
};

/// As `run.json` keeps what was asked for: what is not set is absent.
void to_json(Json& json, const JobOptions& options);
void from_json(const Json& json, JobOptions& options);

/// What differs between clusters.
struct SiteProfile {
    std::string launcher;  ///< starts MPI programs; the words as a shell reads them. Empty: srun
    std::vector<std::string> modules;
    std::vector<std::string> setup;  ///< lines of shell before the launch
    std::vector<std::pair<std::string, std::string>> environment;
    std::string interface;           ///< by which groups meet; empty: that of the default route
    std::chrono::seconds lead{120};  ///< before the end of the job's time, to save what runs
    JobOptions defaults;
};

/// Throws InvalidInput that names file, line, column and key, the problem and the remedy.
SiteProfile read_site_profile(const std::filesystem::path& path);

/// The same from memory; `file` is the file's name in messages.
SiteProfile parse_site_profile(const std::string& text, const std::filesystem::path& file);

/// $CRESCENDO_SITE, else the first there is of ~/.config/crescendo/site.yaml and /etc/crescendo/site.yaml.
std::optional<std::filesystem::path> find_site_profile();

}  // namespace crescendo::launch
