#pragma once

#include <vector>

namespace crescendo::simulator {

/// A mean, and how far off it may be.
struct Estimate {
    double mean;
    double half_width;  ///< of the 95 % confidence interval by Student's t; infinite for one value
};

/// `values` is not empty.
Estimate estimate(const std::vector<double>& values);

/// Geometric mean, for ratios; `half_width` to its upper side. All above 0.
Estimate estimate_ratio(const std::vector<double>& ratios);

double median(std::vector<double> values);

}  // namespace crescendo::simulator
