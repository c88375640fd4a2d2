#pragma once

#include <cstdint>
#include <string_view>
#include <variant>

#include "core/value.hpp"

namespace crescendo {

/// What an expression gives, known as soon as it is read.
enum class Type {
    boolean,
    whole,   ///< a 64-bit whole number; wherever a number is taken, it is one
    number,  ///< a finite floating-point number
    text,
    mixed,  ///< a value of one of several types, which can be compared for equality only
};

/// What a part of an expression gives in one configuration. The first alternative is "nothing": it depends on something
/// that is absent. Texts belong to the configuration or to the expression.
using Datum = std::variant<std::monostate, bool, std::int64_t, double, std::string_view>;

inline bool is_absent(const Datum& datum) { return std::holds_alternative<std::monostate>(datum); }

Type type_of(const Value& value);

/// A view of `value`, which must outlive it.
Datum to_datum(const Value& value);

/// The value of a datum that is not absent.
Value to_value(const Datum& datum);

/// "a number", "text", …: for messages.
const char* describe(Type type);

inline bool is_numeric(Type type) { return type == Type::whole || type == Type::number; }

/// The type that has the values of both: a whole number is a number; else types that differ are mixed.
Type common_type(Type a, Type b);

}  // namespace crescendo
