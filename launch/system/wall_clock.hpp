#pragma once

#include <chrono>

namespace crescendo::launch {

/// Seconds since the epoch, to the millisecond: the times of a journal.
inline double wall_clock() {
    const auto since_epoch = std::chrono::system_clock::now().time_since_epoch();
    return static_cast<double>(std::chrono::duration_cast<std::chrono::milliseconds>(since_epoch).count()) / 1000.0;
}

}  // namespace crescendo::launch
