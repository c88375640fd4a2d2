#pragma once

#include <cmath>
#include <span>

#include "core/mapped.hpp"
#include "launch/display/number_text.hpp"
#include "launch/json/json.hpp"

namespace crescendo::launch {

/// Significant digits of metrics, whose values may lie close together.
inline constexpr int metric_digits = 9;

/// A number for a picture, rounded to this many significant digits, because a page has many thousands of numbers. Null
/// if it is not finite.
inline OrderedJson number_json(double number, int digits) {
    if (!std::isfinite(number)) {
        return nullptr;
    }
    const double value = rounded(number, digits);
    const auto whole = static_cast<std::int64_t>(std::abs(value) < 1e15 ? value : 0);
    return static_cast<double>(whole) == value ? OrderedJson(whole) : OrderedJson(value);  // 3, not 3.0
}

inline OrderedJson numbers_json(std::span<const double> numbers, int digits) {
    return mapped(numbers, [&](double number) { return number_json(number, digits); });
}

}  // namespace crescendo::launch
