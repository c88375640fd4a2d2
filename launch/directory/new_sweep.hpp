#pragma once

#include <filesystem>

#include "launch/directory/sweep_directory.hpp"

namespace crescendo::launch {

/// Creates the directory of a new sweep, with an empty journal, and with what gather_warm_start() gave the file.
/// Programs will run in the current folder. Throws InvalidInput, and leaves nothing behind, if it cannot be created.
SweepDirectory create_sweep(const std::filesystem::path& path, const SweepFile& file);

/// Notes in run.json the batch job of this process. Its script works for the sweep, and may not be the one that was
/// submitted at first.
void note_own_job(const SweepDirectory& directory);

}  // namespace crescendo::launch
