#pragma once

#include <string>
#include <vector>

#include "launch/sweep_file/sections/remark.hpp"
#include "launch/yaml/yaml_section.hpp"
#include "scheduler/space/search_space.hpp"

namespace crescendo::launch {

/// `parameters:` of a sweep file.
struct ParametersSection {
    std::vector<Parameter> parameters;  ///< nested parameters have dotted names
    std::vector<std::string> groups;    ///< parameters that hold others, as in SweepFile
    std::vector<Remark> remarks;        ///< about distributions that probably do not mean what the user intended
};

/// Reads `parameters:` of a sweep file. If a parameter has no `distribution`, W&B's rule applies: `values` means
/// categorical, `value` constant, whole numbers `min` and `max` int_uniform, other numbers uniform. A parameter with
/// `parameters` holds others, and its `when` is a condition on each of them. Parameters with mistakes are left out.
ParametersSection read_parameters(const YamlSection& section);

}  // namespace crescendo::launch
