#pragma once

#include "launch/system/environment.hpp"

namespace crescendo::launch {

/// The number of processes that our launcher says it started together, this one included; 1 if it says nothing. If MPI
/// knows of fewer, launcher and MPI do not understand each other, and each process is alone.
int num_launched(const Variables& variables = ::getenv);

}  // namespace crescendo::launch
