#pragma once

#include "launch/sweep_file/sweep_file.hpp"
#include "launch/yaml/yaml_section.hpp"

namespace crescendo::launch {

// What W&B's files leave open, and the words for it that are not ours. What is chosen becomes a remark, so that nobody
// has to guess.

/// Number of trials where nothing else ends a sweep.
inline constexpr int default_run_cap = 50;

/// Reads `scheduler:`, or what stands in for it. W&B's `early_terminate` becomes asha with the same rungs, or nearly.
/// Programs train until they end if there is neither. Throws InvalidInput if crescendo-trainer is not told how long to
/// train.
void read_schedule(const YamlSection& file, SweepFile& result);

/// Sets the run_cap of a sweep that has none: the points of its grid, or default_run_cap if no budget ends it. Throws
/// InvalidInput if there is no grid.
void add_missing_run_cap(const YamlSection& file, SweepFile& result);

/// Says that points to begin with are left out, where there are more of them than trials.
void remark_on_initial(SweepFile& result);

/// Says that trials will repeat each other, where there are more of them than configurations.
void remark_on_repetitions(const YamlSection& file, SweepFile& result);

}  // namespace crescendo::launch
