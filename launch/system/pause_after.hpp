#pragma once

#include <algorithm>
#include <chrono>

namespace crescendo::launch {

/// How long what began then, and is done now, waits until it is done again: a second, and longer where it took so long
/// that it would be more than a tenth of what its process does.
inline std::chrono::milliseconds pause_after(std::chrono::steady_clock::time_point begin) {
    using std::chrono::milliseconds;
    const auto took = std::chrono::ceil<milliseconds>(std::chrono::steady_clock::now() - begin);
    return std::max(milliseconds(1000), 9 * took);
}

}  // namespace crescendo::launch
