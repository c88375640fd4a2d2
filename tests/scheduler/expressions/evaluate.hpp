#pragma once

#include <doctest/doctest.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "scheduler/expressions/expression.hpp"

namespace crescendo::tests {

/// The names known to the expressions in these tests: a value of each type, and an absent one.
inline const std::vector<Datum>& values() {
    static const std::vector<Datum> all{std::int64_t{7}, std::int64_t{-2}, 0.5, std::string_view("sgd"), true, {}};
    return all;
}

inline const Symbols& symbols() {
    static const Symbols all{{"seven", {0, Type::whole}},
                             {"minus_two", {1, Type::whole}},
                             {"half", {2, Type::number}},
                             {"optimizer", {3, Type::text, {std::string("sgd"), std::string("adam")}}},
                             {"flag", {4, Type::boolean}},
                             {"absent", {5, Type::number}},
                             {"net.layer-1", {0, Type::whole}},
                             {"net.width", {0, Type::whole}},
                             {"anything", {3, Type::mixed}}};
    return all;
}

/// The result of an expression, or nothing if it is absent.
inline std::optional<Value> result_of(const std::string& text) {
    const Expression expression(text, symbols());
    const auto datum = expression.evaluate(values());
    return is_absent(datum) ? std::nullopt : std::optional(to_value(datum));
}

inline Value value_of(const std::string& text) { return result_of(text).value(); }
inline bool holds(const std::string& text) { return std::get<bool>(value_of(text)); }
inline std::int64_t whole(const std::string& text) { return std::get<std::int64_t>(value_of(text)); }
inline double number(const std::string& text) { return std::get<double>(value_of(text)); }

/// The error from parsing or evaluating an expression: "7: message", with the character counted from 0.
inline std::string error_of(const std::string& text) {
    try {
        result_of(text);
    } catch (const ExpressionError& error) {
        return std::to_string(error.offset()) + ": " + error.what();
    }
    return "";
}

}  // namespace crescendo::tests
