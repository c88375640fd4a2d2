#pragma once

#include <string_view>

#include "launch/json/json.hpp"

namespace crescendo::launch {

/// The value of a plain (unquoted) YAML scalar by the core schema of YAML 1.2 (section 10.3.2):
/// null, true and false, whole numbers (also 0o17 and 0xF), floating-point numbers (also .inf and .nan), else text.
/// Unlike YAML 1.1, `1e-4` is a number and `on` and `yes` are text.
/// Throws std::out_of_range on a whole number beyond 64 bits and on a floating-point number beyond the largest.
OrderedJson parse_plain_scalar(std::string_view text);

}  // namespace crescendo::launch
