#pragma once

#include <vector>

#include "core/value.hpp"
#include "launch/sweep_file/sweep_file.hpp"
#include "launch/yaml/yaml_section.hpp"

namespace crescendo::launch {

/// Reads `initial:`, the configurations of the first trials. They may lack parameters. `sweep` must have its parameters
/// and its seed already. A point may give nested parameters in a map, or under their dotted names.
std::vector<Config> read_initial(const YamlSection& file, const SweepFile& sweep);

}  // namespace crescendo::launch
