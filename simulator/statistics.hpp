#pragma once

#include <vector>

namespace crescendo::simulator {

/// A mean with its 95 % confidence interval.
struct Estimate {
    double mean;
    double half_width;  ///< half the width of the interval, by Student's t; infinite for one value
};

/// Arithmetic mean of `values`, which is not empty.
Estimate estimate(const std::vector<double>& values);

/// Geometric mean of `ratios`, which are all above 0. `half_width` is the distance to the upper end of the interval.
Estimate estimate_ratio(const std::vector<double>& ratios);

}  // namespace crescendo::simulator
