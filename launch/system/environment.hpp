#pragma once

#include <chrono>
#include <functional>

namespace crescendo::launch {

/// Looks up a variable of the environment, as ::getenv does. Tests have an environment of their own.
using Variables = std::function<const char*(const char* name)>;

/// Whole seconds from an environment variable, at least one; `otherwise` if it is not set. Throws InvalidInput for any
/// other value.
std::chrono::seconds seconds_of_environment(const char* variable, std::chrono::seconds otherwise);

}  // namespace crescendo::launch
