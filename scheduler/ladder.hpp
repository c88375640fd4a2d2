#pragma once

#include <cstdint>
#include <vector>

namespace crescendo {

/// All first * factor^k below `last`, in ascending order, then `last` itself, exactly once: the milestones of rungs and
/// the sizes of groups.
///
/// Uses integers only: in floating point, log(243) / log(3) is just below 5, which loses a rung or makes two equal
/// ones. Never overflows. Needs 1 <= first <= last and factor >= 2.
std::vector<std::int64_t> ladder(std::int64_t first, std::int64_t last, std::int64_t factor);

}  // namespace crescendo
