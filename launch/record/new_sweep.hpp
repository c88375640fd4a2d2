#pragma once

#include <filesystem>

#include "launch/record/sweep_directory.hpp"

namespace crescendo::launch {

/// A directory for a sweep that begins, its journal empty. Programs will run in the folder we are in now.
/// Throws InvalidInput, and leaves nothing behind, where that cannot be.
SweepDirectory create_sweep(const std::filesystem::path& path, const SweepFile& file);

/// Notes in run.json the Slurm job that we are in: its script works for the sweep, and may not be the one that was
/// submitted at first.
void note_own_job(const SweepDirectory& directory);

}  // namespace crescendo::launch
