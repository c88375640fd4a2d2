#pragma once

#include <filesystem>

#include "launch/directory/sweep_directory.hpp"

namespace crescendo::launch {

/// Creates the directory of a new sweep, with an empty journal and the results that gather_warm_start() added to the
/// file. Programs will run in the current folder. Throws InvalidInput, and leaves nothing behind, if it cannot be
/// created.
SweepDirectory create_sweep(const std::filesystem::path& path, const SweepFile& file);

/// Notes this process's batch job in run.json. Its script works on the sweep, and may differ from the one that was
/// first submitted.
void note_own_job(const SweepDirectory& directory);

}  // namespace crescendo::launch
