#pragma once

#include <chrono>

namespace crescendo::launch {

/// Whole seconds, at least one, from an environment variable; `otherwise` where it is not set. Throws InvalidInput.
std::chrono::seconds seconds_of_environment(const char* variable, std::chrono::seconds otherwise);

}  // namespace crescendo::launch
