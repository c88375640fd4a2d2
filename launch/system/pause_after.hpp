#pragma once

#include <algorithm>
#include <chrono>

namespace crescendo::launch {

/// Pause before repeating work that started at `begin` and is done now: at least a second, and long enough that the
/// work takes at most a tenth of the process's time.
inline std::chrono::milliseconds pause_after(std::chrono::steady_clock::time_point begin) {
    using std::chrono::milliseconds;
    const auto took = std::chrono::ceil<milliseconds>(std::chrono::steady_clock::now() - begin);
    return std::max(milliseconds(1000), 9 * took);
}

}  // namespace crescendo::launch
