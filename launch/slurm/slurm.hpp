#pragma once

#include <filesystem>
#include <optional>
#include <string>

namespace crescendo::launch {

/// Id of the Slurm job that we are in.
std::optional<std::string> own_job();

/// What squeue prints of a job with this --format, where it is in one of `states` if any are given: empty where it has
/// no such job, or has forgotten it, as it does some minutes after its end. Nothing where Slurm cannot be asked: not
/// installed, or it does not answer.
std::optional<std::string> ask_about_job(const std::string& job, const std::string& format,
                                         const std::string& states = "");

enum class JobState {
    gone,     ///< ended, cancelled, or never there
    queued,   ///< waits for nodes
    running,  ///< also while it starts or ends
};

/// Nothing where Slurm cannot be asked.
std::optional<JobState> job_state(const std::string& job);

/// Queues the script, and returns the job's id. Throws InvalidInput with sbatch's own words where it refuses.
std::string submit_job(const std::filesystem::path& script);

/// Throws InvalidInput with scancel's own words where that fails.
void cancel_job(const std::string& job);

}  // namespace crescendo::launch
