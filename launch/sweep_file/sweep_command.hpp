#pragma once

#include "launch/sweep_file/sweep_file.hpp"
#include "launch/yaml/yaml_section.hpp"

namespace crescendo::launch {

/// Reads the keys about what trains: `trainer:`, or `program:` and `command:` with their keys `grow:`, `final_test:`
/// and `report:`. `result` must have its metric already. When the sweep begins, a script that calls only W&B gets the
/// adapter.
void read_command(const YamlSection& file, SweepStage stage, SweepFile& result);

/// Adds mistakes in the words of the command, and in how its program grows. Call it when everything else in `result`
/// has been read.
void check_command(const YamlSection& file, const SweepFile& result);

}  // namespace crescendo::launch
