#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "launch/directory/sweep_directory.hpp"
#include "launch/journal/history.hpp"
#include "launch/sweep_file/sweep_file.hpp"

namespace crescendo::launch {

/// A recorded sweep whose events were decided again by a fresh scheduler.
struct Replay {
    History history;
    std::size_t num_events = 0;
    std::size_t num_actions = 0;
    std::vector<std::string> differences;  ///< between the decisions now and what happened; empty if none
};

/// Compares decisions with what happened: which trials reported after which decision, the regroups, the configurations
/// of the trials, and the results of a sweep that is over. `file` is the sweep's file as the sweep began.
Replay replay(const SweepFile& file, const SweepDirectory& directory);

}  // namespace crescendo::launch
