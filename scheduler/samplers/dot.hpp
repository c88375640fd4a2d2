#pragma once

#include <numeric>
#include <vector>

namespace crescendo {

/// Summed from the first product to the last, so that equal vectors give equal bits.
inline double dot(const std::vector<double>& a, const std::vector<double>& b) {
    return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

}  // namespace crescendo
