#pragma once

#include <string>
#include <vector>

#include "launch/json/json.hpp"
#include "launch/report/sweep_section.hpp"

namespace crescendo::launch {

/// A page (HTML, without other files) that shows these sweeps, each given by its sweep_data(). `comparison` is null or
/// a comparison_json(). The answers and tables of the page are plain HTML. Its script draws the charts and the tables
/// of trials. Without scripts, it shows a picture of the slots and a table of the best trials.
std::string report_page(const std::vector<OrderedJson>& sweeps, const OrderedJson& comparison,
                        PageKind kind = PageKind::file);

}  // namespace crescendo::launch
