#pragma once

#include <chrono>
#include <functional>

namespace crescendo::launch {

/// Looks up an environment variable, as ::getenv does. Tests pass an environment of their own.
using Variables = std::function<const char*(const char* name)>;

/// Reads whole seconds, at least one, from an environment variable; returns `otherwise` if it is not set. Throws
/// InvalidInput for any other value.
std::chrono::seconds seconds_of_environment(const char* variable, std::chrono::seconds otherwise);

}  // namespace crescendo::launch
