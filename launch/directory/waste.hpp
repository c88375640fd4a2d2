#pragma once

#include <chrono>

#include "launch/directory/sweep_directory.hpp"
#include "launch/files/remove_files.hpp"

namespace crescendo::launch {

/// What of a trial's folder nothing will need again.
enum class Waste {
    nothing,
    checkpoint,  ///< the checkpoint of a warm trainer
    all_files,   ///< all but what Crescendo writes about a trial: its parameters, its log, its latency
};

/// Removes the `waste` of a trial, up to the time `end`, as remove_files() does.
Removed remove_waste(Waste waste, TrialId trial, const SweepDirectory& directory,
                     std::chrono::steady_clock::time_point end, Removal removal = Removal::perform);

/// Whether the trial's program, or its trainer, left anything in its folder.
bool has_left_files(TrialId trial, const SweepDirectory& directory);

}  // namespace crescendo::launch
