#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace crescendo {

/// A list, a map or null: compact JSON with sorted keys, so that equal values have equal texts. It is text here because
/// core/ has no JSON library.
struct JsonValue {
    explicit JsonValue(std::string json) : text(std::move(json)) {}

    std::string text;

    friend auto operator<=>(const JsonValue&, const JsonValue&) = default;
};

/// The value of one hyperparameter.
using Value = std::variant<bool, std::int64_t, double, std::string, JsonValue>;

/// A configuration: one value for each parameter, in the order of the sweep file.
using Config = std::vector<std::pair<std::string, Value>>;

/// The value as programs get it: `true`, `3`, `0.01`, `relu`, `[1,2]`. A number is the shortest text that reads back as
/// the same number. A whole number up to 2^53 has no point and no exponent: 2.0 is `2`, and 1e5 is `100000`.
std::string to_string(const Value& value);

/// The value as a number, where true is 1; NaN for text and JSON.
double to_number(const Value& value);

}  // namespace crescendo
