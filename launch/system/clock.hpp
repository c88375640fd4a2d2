#pragma once

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

}  // namespace crescendo::launch
