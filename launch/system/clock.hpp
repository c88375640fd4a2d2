#pragma once

#include <chrono>

namespace crescendo::launch {

/// For deadlines and silence: it counts while the machine's time is set.
using Clock = std::chrono::steady_clock;

}  // namespace crescendo::launch
