#pragma once

#include <vector>

namespace crescendo {

/// The median of `values`, which must not be empty; for an even number of values, the mean of the two in the middle.
/// Values may be infinite, but not both -infinity and infinity, and not NaN.
double median(std::vector<double> values);

}  // namespace crescendo
