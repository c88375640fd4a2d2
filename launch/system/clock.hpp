#pragma once

#include <algorithm>
#include <chrono>
#include <initializer_list>
#include <optional>

namespace crescendo::launch {

/// Clock for deadlines and silence. It is monotonic: setting the machine's time does not affect it.
using Clock = std::chrono::steady_clock;

/// The earliest of these times; nothing if there is none.
inline std::optional<Clock::time_point> earliest(std::initializer_list<std::optional<Clock::time_point>> times) {
    std::optional<Clock::time_point> first;
    for (const auto& each : times) {
        first = each && (!first || *each < *first) ? each : first;
    }
    return first;
}

/// Pause before repeating work that started at `begin` and is done now: at least a second, and long enough that the
/// work takes at most a tenth of the process's time.
inline std::chrono::milliseconds pause_after(Clock::time_point begin) {
    using std::chrono::milliseconds;
    const auto took = std::chrono::ceil<milliseconds>(Clock::now() - begin);
    return std::max(milliseconds(1000), 9 * took);
}

}  // namespace crescendo::launch
