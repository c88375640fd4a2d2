#pragma once

#include <chrono>
#include <filesystem>
#include <string>

namespace crescendo::launch {

/// Rescues the job, on a rank that has lost rank 0. The job script runs on rank 0's node. If that node died, nothing
/// launches the ranks again, and Slurm (`--no-kill`) keeps the job without a script until its time is up.
///
/// Returns at once if the script's node answers. Otherwise waits until the node answers, the job is over, or Slurm has
/// taken the node from the job. In the last case, queues the job again, or cancels it if that is not allowed, and
/// writes so to `log`; if Slurm is busy or down, retries. Also returns if Slurm sees no problem with the node for five
/// minutes.
void rescue_if_orphaned(const std::string& job, const std::filesystem::path& log,
                        std::chrono::milliseconds pause = std::chrono::seconds(5));

}  // namespace crescendo::launch
