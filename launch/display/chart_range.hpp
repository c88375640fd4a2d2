#pragma once

#include <vector>

namespace crescendo::launch {

/// The largest size of values that an axis shows beside `best`, the best of them: a thousand times what three quarters
/// of them come to. A training that diverged reports 1e30, beside which nothing else could be told apart. There must be
/// a value. (`withoutDiverged` in state.js is the same for pages.)
double largest_shown(std::vector<double> values, double best);

}  // namespace crescendo::launch
