#pragma once

#include <string>
#include <vector>

#include "launch/json/json.hpp"

namespace crescendo::launch {

/// The section of a page that compares its sweeps, by a comparison_json() of them, as HTML: what each method took, and
/// who ran where. `sweeps` are the sweep_data() of all.
std::string comparison_section(const OrderedJson& comparison, const std::vector<OrderedJson>& sweeps);

}  // namespace crescendo::launch
