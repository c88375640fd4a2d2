#pragma once

#include <cstdint>
#include <string_view>
#include <variant>

#include "core/value.hpp"

namespace crescendo {

/// The type of an expression's result, which is known as soon as the expression is read.
enum class Type {
    boolean,
    whole,   ///< a 64-bit whole number; also accepted as a number
    number,  ///< a finite floating-point number
    text,
    mixed,  ///< a value of one of several types, which can be compared for equality only
};

/// The result of a part of an expression in one configuration. std::monostate means "absent": the result depends on an
/// absent parameter. Texts are views into the configuration or the expression.
using Datum = std::variant<std::monostate, bool, std::int64_t, double, std::string_view>;

inline bool is_absent(const Datum& datum) { return std::holds_alternative<std::monostate>(datum); }

Type type_of(const Value& value);

/// A view of `value`, which must outlive the result.
Datum to_datum(const Value& value);

/// The value of a datum that is not absent.
Value to_value(const Datum& datum);

/// "a number", "text", …: for messages.
const char* describe(Type type);

inline bool is_numeric(Type type) { return type == Type::whole || type == Type::number; }

/// The type that covers the values of both: whole and number give number; other types that differ give mixed.
Type common_type(Type a, Type b);

}  // namespace crescendo
