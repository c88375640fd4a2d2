#pragma once

#include <string>
#include <vector>

#include "launch/sweep_file/sections/remark.hpp"
#include "launch/yaml/yaml_section.hpp"
#include "scheduler/space/search_space.hpp"

namespace crescendo::launch {

/// `parameters:` of a sweep file.
struct ParametersSection {
    std::vector<Parameter> parameters;  ///< with dotted names where parameters hold others
    std::vector<std::string> groups;    ///< the parameters that hold others, as SweepFile has them
    std::vector<Remark> remarks;        ///< on distributions that hardly mean what they say
};

/// Reads `parameters:` of a sweep file. If a parameter has no `distribution`, W&B's rule applies: `values` means
/// categorical, `value` constant, two whole numbers `min` and `max` int_uniform, other numbers uniform. A parameter
/// with `parameters` holds others, and its `when` is a condition of each of them. Mistaken parameters are left out.
ParametersSection read_parameters(const YamlSection& section);

}  // namespace crescendo::launch
