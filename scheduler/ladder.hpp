#pragma once

#include <cstdint>
#include <vector>

namespace crescendo {

/// first * factor^k for every k that stays below `last`, then `last` itself, exactly once: the milestones
/// of rungs and the sizes of groups.
///
/// Integers throughout: log(243) / log(3) in floating point is just below 5 and loses a rung, or makes two
/// equal ones. Never overflows. Needs 1 <= first <= last and factor >= 2.
std::vector<std::int64_t> ladder(std::int64_t first, std::int64_t last, std::int64_t factor);

}  // namespace crescendo
