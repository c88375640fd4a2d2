#pragma once

#include "launch/sweep_file/sweep_file.hpp"
#include "launch/yaml/yaml_section.hpp"

namespace crescendo::launch {

/// Reads what trains: `trainer:`, or `program:` and `command:` with what belongs to them, `grow:`, `final_test:` and
/// `report:`. `result` has its metric already. A command that `is_settled` is the one by which the sweep began, and
/// stays as it is, whatever its script imports now.
void read_command(const YamlSection& file, bool is_settled, SweepFile& result);

/// Says what is wrong with the words of the command, and with how its program grows, once all else of `result` is
/// there.
void check_command(const YamlSection& file, const SweepFile& result);

}  // namespace crescendo::launch
