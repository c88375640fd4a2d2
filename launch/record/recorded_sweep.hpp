#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "launch/record/history.hpp"
#include "launch/record/sweep_directory.hpp"
#include "launch/slurm/slurm.hpp"

namespace crescendo::launch {

/// A sweep as its directory tells it; its process, if there is one, is not asked.
struct RecordedSweep {
    explicit RecordedSweep(const std::filesystem::path& path);

    /// In seconds, where the sweep has one.
    std::optional<double> time_budget() const;

    SweepDirectory directory;
    SweepFile file;
    History history;
};

/// Of the sweep's last job; gone where it never had one, or Slurm cannot be asked.
JobState state_of_job(const SweepDirectory& directory);

/// "queued", "running", "stopped", "finished" or "failed". Asks Slurm about a sweep that was submitted and has no
/// coordinator now.
std::string state_of(const RecordedSweep& sweep);

}  // namespace crescendo::launch
