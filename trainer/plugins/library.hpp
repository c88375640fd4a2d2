#pragma once

#include <string>
#include <vector>

#include "trainer/plugins/crescendo/model_plugin.hpp"

namespace crescendo::trainer {

/// Loads a shared library and returns its models and losses. Both stay until the process ends. Throws InvalidInput with
/// the problem and the remedy if this version cannot use the library. A library that was built for another version is
/// not loaded at all.
const std::vector<plugin::Registration>& load_library(const std::string& library);

}  // namespace crescendo::trainer
