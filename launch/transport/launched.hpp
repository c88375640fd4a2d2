#pragma once

#include <cstdlib>
#include <functional>

namespace crescendo::launch {

/// The number of processes that our launcher says it started together, this one included; 1 if it says nothing. If MPI
/// knows of fewer, launcher and MPI do not understand each other, and each process is alone.
int num_launched(const std::function<const char*(const char*)>& variable = ::getenv);

}  // namespace crescendo::launch
