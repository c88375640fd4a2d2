#pragma once

#include <vector>

#include "launch/yaml/yaml_section.hpp"
#include "scheduler/space/search_space.hpp"

namespace crescendo::launch {

/// Reads `parameters:` of a sweep file. If a parameter has no `distribution`, W&B's rule applies: `values` means
/// categorical, `value` constant, two whole numbers `min` and `max` int_uniform, other numbers uniform. Mistaken
/// parameters are left out.
std::vector<Parameter> read_parameters(const YamlSection& section);

}  // namespace crescendo::launch
