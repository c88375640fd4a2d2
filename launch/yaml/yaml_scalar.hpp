#pragma once

#include <string_view>

#include "launch/json/json.hpp"

namespace crescendo::launch {

/// The value of a plain (unquoted) YAML scalar by the core schema of YAML 1.2 (section 10.3.2):
/// null, true and false, whole numbers (also 0o17 and 0xF), floating-point numbers (also .inf and .nan), else text.
/// Unlike in YAML 1.1, `1e-4` is a number, and `on` and `yes` are text.
/// Throws std::out_of_range if a whole number needs more than 64 bits, or a floating-point number is too large.
OrderedJson parse_plain_scalar(std::string_view text);

}  // namespace crescendo::launch
