#pragma once

#include <vector>

namespace crescendo {

/// The middle of `values`, which is not empty; of an even number, the mean of the two in the middle. Values may be
/// infinite, but not both -infinity and infinity, and not NaN.
double median(std::vector<double> values);

}  // namespace crescendo
