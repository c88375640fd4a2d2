#pragma once

#include <chrono>

namespace crescendo::launch {

/// Seconds since the epoch, with millisecond resolution.
inline double wall_clock() {
    const auto since_epoch = std::chrono::system_clock::now().time_since_epoch();
    return static_cast<double>(std::chrono::duration_cast<std::chrono::milliseconds>(since_epoch).count()) / 1000.0;
}

/// Clock for the journal, in seconds since the epoch: the wall clock at the first call, and a steady clock from then
/// on. Used and remaining times are differences of two such times, so they stay right if the machine's clock is set.
inline double journal_clock() {
    using Steady = std::chrono::steady_clock;
    static const double start = wall_clock();
    static const auto start_of_steady = Steady::now();
    const auto since_start = std::chrono::duration_cast<std::chrono::milliseconds>(Steady::now() - start_of_steady);
    return start + static_cast<double>(since_start.count()) / 1000.0;
}

}  // namespace crescendo::launch
