#pragma once

#include <chrono>

#include "launch/directory/sweep_directory.hpp"
#include "launch/files/remove_files.hpp"

namespace crescendo::launch {

/// The part of a trial's folder that nothing needs any more.
enum class Waste {
    nothing,
    checkpoint,  ///< the checkpoint of a warm trainer
    all_files,   ///< all files except Crescendo's own: the trial's parameters, log and latency
};

/// Removes the `waste` of a trial until the time `end`, as remove_files() does.
Removed remove_waste(Waste waste, TrialId trial, const SweepDirectory& directory, Removal removal = Removal::perform,
                     std::chrono::steady_clock::time_point end = std::chrono::steady_clock::time_point::max());

/// Whether the trial's program or trainer left any file in its folder.
bool has_left_files(TrialId trial, const SweepDirectory& directory);

}  // namespace crescendo::launch
