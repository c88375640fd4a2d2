#pragma once

#include <string>
#include <vector>

#include "trainer/plugins/crescendo/model_plugin.hpp"

namespace crescendo::trainer {

/// Loads a shared library for the rest of the process, and returns its models and losses, which live as long. Throws
/// InvalidInput with the problem and the remedy if there are none that this version can use. A library that was built
/// for another version is not loaded at all.
const std::vector<plugin::Registration>& load_library(const std::string& library);

}  // namespace crescendo::trainer
