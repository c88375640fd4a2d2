#pragma once

#include <cstdint>
#include <fstream>
#include <string>

#include "tests/sanitized.hpp"

namespace crescendo::tests {

/// The most memory that this process has had since forget_peak_memory(), in bytes.
inline std::int64_t peak_memory() {
    std::ifstream status("/proc/self/status");
    std::int64_t kilobytes = 0;
    for (std::string word; status >> word && word != "VmHWM:";) {}
    status >> kilobytes;
    return kilobytes * 1024;
}

/// A sanitizer adds its shadow memory to the peak, and the memory that it does not return.
inline constexpr bool memory_is_ours = !is_sanitized;

inline void forget_peak_memory() { std::ofstream("/proc/self/clear_refs") << 5; }

}  // namespace crescendo::tests
