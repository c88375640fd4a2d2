#pragma once

#include <chrono>
#include <filesystem>
#include <string>

namespace crescendo::launch {

/// Ranks after rank 0 that look after the job when rank 0 is lost: one would do, if no two nodes ever died together.
inline constexpr int num_rescuers = 3;

/// For a rank that has lost rank 0. The job script works on rank 0's node; if that node died, nobody launches us anew,
/// and Slurm (`--no-kill`) keeps the job without a script until its time is up.
///
/// Returns at once where the script's node answers. Else waits until it does, until the job is over, or until Slurm has
/// noticed too and taken the node from the job, which is then queued again, or cancelled where that is not allowed;
/// `log` says so. Where Slurm has nothing against the node for five minutes, it is none of ours.
void rescue_if_orphaned(const std::string& job, const std::filesystem::path& log,
                        std::chrono::milliseconds pause = std::chrono::seconds(5));

}  // namespace crescendo::launch
