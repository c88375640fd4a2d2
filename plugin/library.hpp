#pragma once

#include <string>
#include <vector>

#include "plugin/crescendo/plugin.hpp"

namespace crescendo::plugin {

/// Loads a plug-in for the rest of the process, and returns what it has. Throws std::runtime_error with the problem and
/// the remedy if it is none that this version can use.
std::vector<crescendo_part> load(const std::string& library);

/// "sampler", "search space" or "stop rule".
const char* kind_name(const crescendo_part& part);

}  // namespace crescendo::plugin
