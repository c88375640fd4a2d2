#pragma once

#include "launch/sweep_file/sweep_file.hpp"
#include "launch/yaml/yaml_section.hpp"

namespace crescendo::launch {

// Defaults for what W&B's files leave open, and translations of W&B's words. Each choice becomes a remark, so that
// nobody has to guess.

/// Number of trials if nothing else ends a sweep.
inline constexpr int default_run_cap = 50;

/// Reads `scheduler:`, or the key that replaces it: W&B's `early_terminate` becomes asha with the same rungs, or nearly
/// the same. With neither, programs train until they end. Throws InvalidInput if crescendo-trainer is not told how long
/// to train.
void read_schedule(const YamlSection& file, SweepFile& result);

/// Sets the run_cap of a sweep that has none: the number of points of its grid, or default_run_cap if no budget ends
/// it. Throws InvalidInput if there is no grid.
void add_missing_run_cap(const YamlSection& file, SweepFile& result);

/// Adds a remark if there are more points to begin with than trials, so that some are left out.
void remark_on_initial(SweepFile& result);

/// Adds a remark if there are more trials than configurations, so that trials repeat each other.
void remark_on_repetitions(const YamlSection& file, SweepFile& result);

}  // namespace crescendo::launch
