#pragma once

#include <chrono>

namespace crescendo::launch {

/// Whole seconds from an environment variable, at least one; `otherwise` if it is not set. Throws InvalidInput for any
/// other value.
std::chrono::seconds seconds_of_environment(const char* variable, std::chrono::seconds otherwise);

}  // namespace crescendo::launch
