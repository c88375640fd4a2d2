#pragma once

#include "launch/sweep_file/sweep_file.hpp"
#include "launch/yaml/yaml_section.hpp"

namespace crescendo::launch {

/// Reads what trains: `trainer:`, or `program:` and `command:` with what belongs to them, `grow:`, `final_test:` and
/// `report:`. `result` has its metric already. As the sweep begins, a script that speaks to W&B alone gets the adapter.
void read_command(const YamlSection& file, SweepStage stage, SweepFile& result);

/// Says what is wrong with the words of the command, and with how its program grows, once all else of `result` is
/// there.
void check_command(const YamlSection& file, const SweepFile& result);

}  // namespace crescendo::launch
