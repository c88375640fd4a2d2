#pragma once

#include <filesystem>
#include <vector>

#include "launch/json/json.hpp"

namespace crescendo::launch {

/// The results of `crescendo compare` as JSON: `methods` (a list of objects), `first_sweeps` (the directory of each
/// method's first sweep), `chart` (SVG), `target`, `few_sweeps` (few_sweeps_text()). Sweeps that differ only in their
/// seed are one method. If the sweeps cannot be compared, `problem` says why.
OrderedJson comparison_json(const std::vector<std::filesystem::path>& directories);

}  // namespace crescendo::launch
