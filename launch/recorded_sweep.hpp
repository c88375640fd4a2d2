#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "launch/history.hpp"
#include "launch/sweep_directory.hpp"

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

/// "queued", "running", "stopped", "finished" or "failed". Asks Slurm about a sweep that was submitted and has no
/// coordinator now.
std::string state_of(const RecordedSweep& sweep);

}  // namespace crescendo::launch
