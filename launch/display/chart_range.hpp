#pragma once

#include <string>
#include <utility>
#include <vector>

namespace crescendo::launch {

/// The largest magnitude that an axis shows: 1,000 times the larger of |`best`| and the third quartile of the
/// magnitudes of `values`; infinity if all are 0. A training that diverged reports 1e30, and on an axis that shows it
/// all other values look equal. `values` must not be empty. (`withoutDiverged` in state.js does the same for pages.)
double largest_shown(std::vector<double> values, double best);

/// Labels for the ends of an axis, with enough digits to tell them apart.
std::pair<std::string, std::string> end_labels(double low, double high);

}  // namespace crescendo::launch
