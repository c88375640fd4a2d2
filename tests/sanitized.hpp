#pragma once

#include <cstdint>

namespace crescendo::tests {

/// Whether a sanitizer is active. It looks for memory or threading errors, which show within a few iterations of a
/// loop, and makes each iteration thirty times slower.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool is_sanitized = true;
#else
inline constexpr bool is_sanitized = false;
#endif

/// The number of seeds with which a property is tested.
constexpr std::uint64_t seeds(std::uint64_t count) { return is_sanitized ? count / 20 : count; }

}  // namespace crescendo::tests
