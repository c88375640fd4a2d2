#pragma once

#include <string>
#include <vector>

#include "plugin/crescendo/plugin.hpp"

namespace crescendo::plugin {

/// Loads a plug-in and returns its classes. The library stays loaded until the process ends. Throws std::runtime_error
/// with the problem and the remedy if this version cannot use the library.
std::vector<crescendo_part> load(const std::string& library);

/// The kind of a part for messages: "sampler", "search space" or "stop rule".
const char* kind_name(const crescendo_part& part);

}  // namespace crescendo::plugin
