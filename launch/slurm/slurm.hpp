#pragma once

#include <filesystem>
#include <optional>
#include <string>

namespace crescendo::launch {

/// Id of the Slurm job that this process is in, if any.
std::optional<std::string> own_job();

/// What squeue prints for a job with this --format. If `states` is given, the job must be in one of them. Empty if
/// squeue has no such job, or has forgotten it, as it does some minutes after the end of a job. std::nullopt if Slurm
/// cannot be asked: it is not installed, or does not answer.
std::optional<std::string> ask_about_job(const std::string& job, const std::string& format,
                                         const std::string& states = "");

enum class JobState {
    gone,     ///< the job ended, was cancelled, or never existed
    queued,   ///< the job waits for nodes
    running,  ///< the job runs, or is starting or ending
};

/// State of a job; std::nullopt if Slurm cannot be asked.
std::optional<JobState> job_state(const std::string& job);

/// Queues the script and returns the job's id. Throws InvalidInput with sbatch's own words if sbatch refuses.
std::string submit_job(const std::filesystem::path& script);

/// Cancels a job. Throws InvalidInput with scancel's own words if that fails.
void cancel_job(const std::string& job);

}  // namespace crescendo::launch
