#pragma once

#include <limits>

namespace crescendo::tests {

inline constexpr double infinity = std::numeric_limits<double>::infinity();

}  // namespace crescendo::tests
