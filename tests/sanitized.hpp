#pragma once

#include <cstdint>

namespace crescendo::tests {

/// Whether a sanitizer watches. It looks for faults of memory or of threads, which show with a few turns of a loop, and
/// takes thirty times as long for one.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool is_sanitized = true;
#else
inline constexpr bool is_sanitized = false;
#endif

/// How many seeds a property is tried with.
constexpr std::uint64_t seeds(std::uint64_t count) { return is_sanitized ? count / 20 : count; }

}  // namespace crescendo::tests
