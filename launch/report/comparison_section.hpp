#pragma once

#include <string>
#include <vector>

#include "launch/json/json.hpp"

namespace crescendo::launch {

/// The section of a page that compares its sweeps, as HTML: what each method took, and which trials held the slots
/// when. `comparison` is a comparison_json() of the sweeps; `sweeps` has the sweep_data() of each.
std::string comparison_section(const OrderedJson& comparison, const std::vector<OrderedJson>& sweeps);

}  // namespace crescendo::launch
