#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace crescendo {

/// The value of one hyperparameter.
using Value = std::variant<bool, std::int64_t, double, std::string>;

/// A configuration: one value for each parameter, in the order of the sweep file.
using Config = std::vector<std::pair<std::string, Value>>;

/// `true`, `3`, `0.01`, `relu`: the shortest text that reads back as the same value.
std::string to_string(const Value& value);

}  // namespace crescendo
