#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "launch/compare/sweep_run.hpp"

namespace crescendo::launch {

/// Sweeps that differ in their seed only, or that the user named together.
struct Method {
    std::string name;
    std::vector<SweepRun> runs;  ///< not empty
};

/// What makes sweeps one method.
enum class Grouping {
    arguments,  ///< they are in the same directory that the user named
    seed,       ///< their files say the same, but for `seed` and what only describes a sweep
};

/// Reads the sweeps of these directories. Each directory holds one sweep, or folders of sweeps. Methods are in the
/// order of their first sweeps. Throws InvalidInput if a directory holds none or is named twice, or if the sweeps have
/// not all the same metric.
std::vector<Method> read_methods(const std::vector<std::filesystem::path>& directories, Grouping grouping,
                                 ClockOf clock, const ReadProgress& progress);

/// A name for each group of sweeps by the keys in which the groups differ: "rasda" if the scheduler's type alone tells
/// them apart, else "type=rasda max=27". `groups` has what the file of one sweep of each group says.
std::vector<std::string> names_of_groups(const std::vector<FlatKeys>& groups);

}  // namespace crescendo::launch
