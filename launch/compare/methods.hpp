#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "launch/compare/sweep_run.hpp"

namespace crescendo::launch {

/// Sweeps that differ only in their seeds, or that the user grouped in one directory.
struct Method {
    std::string name;
    std::vector<SweepRun> runs;  ///< not empty
};

/// How sweeps are grouped into methods.
enum class Grouping {
    arguments,  ///< sweeps in the same directory argument are one method
    seed,       ///< sweeps are one method if their files, with later changes, differ only in `seed` and in keys that
                ///< only describe
};

/// Reads the sweeps in these directories, and groups them into methods. Each directory is a sweep's own, or holds
/// folders of sweeps. Methods are in the order of their first sweeps. Throws InvalidInput if a directory holds no sweep
/// or is named twice, or if the sweeps have different metrics.
std::vector<Method> read_methods(const std::vector<std::filesystem::path>& directories, Grouping grouping,
                                 ClockOf clock, const ReadProgress& progress);

/// Names groups of sweeps by the keys in which the groups differ: "rasda" if only the scheduler's type differs, else
/// "max=27 type=rasda". Names only the last part of a key, unless several of these keys share it. `groups` has the keys
/// of one sweep file per group.
std::vector<std::string> names_of_groups(const std::vector<FlatKeys>& groups);

}  // namespace crescendo::launch
