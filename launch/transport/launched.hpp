#pragma once

#include <cstdlib>
#include <functional>

namespace crescendo::launch {

/// How many processes our launcher says that it started together, ours among them; 1 where it says nothing. MPI may
/// know of fewer: then launcher and MPI do not speak the same language, and each process is alone.
int num_launched(const std::function<const char*(const char*)>& variable = ::getenv);

}  // namespace crescendo::launch
