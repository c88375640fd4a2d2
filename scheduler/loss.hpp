#pragma once

#include <cmath>
#include <limits>

namespace crescendo {

inline constexpr double worst_loss = std::numeric_limits<double>::infinity();

/// `loss` if it is finite, else the worst loss: NaN and both infinities mean that a training diverged.
inline double finite_or_worst(double loss) { return std::isfinite(loss) ? loss : worst_loss; }

}  // namespace crescendo
