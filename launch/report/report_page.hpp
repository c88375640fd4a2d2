#pragma once

#include <string>
#include <vector>

#include "launch/json/json.hpp"
#include "launch/report/page_kind.hpp"

namespace crescendo::launch {

/// A page (HTML, without other files) that shows these sweeps, each by its sweep_data(); `comparison` is null or a
/// comparison_json(). Its answers and tables are plain HTML. A script in it draws the charts, and makes the tables of
/// trials; without scripts there is a picture of the slots and a table of the best trials.
std::string report_page(const std::vector<OrderedJson>& sweeps, const OrderedJson& comparison,
                        PageKind kind = PageKind::file);

}  // namespace crescendo::launch
