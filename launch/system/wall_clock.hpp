#pragma once

#include <chrono>

namespace crescendo::launch {

/// Seconds since the epoch, to the millisecond.
inline double wall_clock() {
    const auto since_epoch = std::chrono::system_clock::now().time_since_epoch();
    return static_cast<double>(std::chrono::duration_cast<std::chrono::milliseconds>(since_epoch).count()) / 1000.0;
}

/// The times of a journal: the wall clock at the first call, and from then on as time goes by. What was used and what
/// is left is a difference of two of them, so it stays right if somebody sets the clock.
inline double journal_clock() {
    using Steady = std::chrono::steady_clock;
    static const double start = wall_clock();
    static const auto start_of_steady = Steady::now();
    const auto since_start = std::chrono::duration_cast<std::chrono::milliseconds>(Steady::now() - start_of_steady);
    return start + static_cast<double>(since_start.count()) / 1000.0;
}

}  // namespace crescendo::launch
