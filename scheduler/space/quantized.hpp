#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

namespace crescendo {

// Slack in counting the multiples of q: 0.3 / 0.1 is 2.9999999999999996 and must count as 3.
inline constexpr double multiple_slack = 1e-9;

/// Largest distance, in units of q, of the number times * q from a multiple of q: programs and people compute multiples
/// in different ways. For large multiples, rounding alone can exceed the fixed bound.
inline double multiple_tolerance(double times) {
    return std::max(1e-6, 4 * std::numeric_limits<double>::epsilon() * std::fabs(times));
}

inline double first_multiple(double min, double q) { return std::ceil(min / q - multiple_slack); }
inline double last_multiple(double max, double q) { return std::floor(max / q + multiple_slack); }

/// The multiple of q nearest to x, halves away from zero.
inline double quantized(double x, double q) {
    return std::round(x / q) * q + 0.0;  // 0 instead of -0
}

/// The multiple of q nearest to x, halves away from zero, among those in [min, max].
inline double quantized(double x, double min, double max, double q) {
    const double multiple = std::clamp(std::round(x / q), first_multiple(min, q), last_multiple(max, q));
    return std::clamp(multiple * q, min, max) + 0.0;  // 3 * 0.1 is just above 0.3; 0 instead of -0
}

}  // namespace crescendo
