#pragma once

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "core/fields.hpp"
#include "launch/json/json.hpp"

namespace crescendo::launch {

/// What a batch job requests. The site's defaults, then the batch system's own, fill in what is not set.
struct JobOptions {
    std::optional<int> nodes;
    std::optional<std::chrono::seconds> time;
    std::optional<std::string> partition;
    std::optional<std::string> account;
    std::optional<int> gpus_per_node;
    std::optional<int> cpus_per_task;
    std::optional<int> slots_per_gpu;  ///< none: as in the sweep file
    std::vector<std::string> more;  ///< further options of the command that queues jobs: "--name", "--name=value" or
                                    ///< "--name value"

    /// The optional settings, with their keys in `run.json`.
    static constexpr auto settings() {
        return std::tuple(Field{"nodes", &JobOptions::nodes}, Field{"time_seconds", &JobOptions::time},
                          Field{"partition", &JobOptions::partition}, Field{"account", &JobOptions::account},
                          Field{"gpus_per_node", &JobOptions::gpus_per_node},
                          Field{"cpus_per_task", &JobOptions::cpus_per_task},
                          Field{"slots_per_gpu", &JobOptions::slots_per_gpu});
    }

    /// These options, with `defaults` for those that are not set. The `more` of `defaults` comes before ours.
    JobOptions over(const JobOptions& defaults) const;
};

/// Options in the form of `run.json`. Options that are not set are absent.
void to_json(Json& json, const JobOptions& options);
void from_json(const Json& json, JobOptions& options);

/// Settings that differ between clusters, from a site profile.
struct SiteProfile {
    std::string launcher;  ///< shell words that start MPI programs; empty: the batch system's own
    std::vector<std::string> modules;
    std::vector<std::string> setup;  ///< lines of shell to run before the launch
    std::vector<std::pair<std::string, std::string>> environment;
    std::string interface;           ///< network interface for groups; empty: the default route's
    std::chrono::seconds lead{120};  ///< time reserved at the end of a job to save running trials
    JobOptions defaults;
};

/// A request for a batch job that works on one sweep.
struct JobRequest {
    std::string name;
    std::filesystem::path directory;  ///< the sweep's directory; absolute, as all nodes see it
    std::filesystem::path log;  ///< what the job prints; absolute, with BatchSystem::id_in_path() for the job's id
    std::filesystem::path working_directory;  ///< absolute
    std::filesystem::path crescendo;          ///< path of our executable; absolute
    JobOptions options;                       ///< the user's options over the site's defaults
    SiteProfile site;                         ///< the site profile, with the launcher set
};

}  // namespace crescendo::launch
