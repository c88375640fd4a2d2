#include "scheduler/expressions/type.hpp"

#include <string>

#include "core/check.hpp"
#include "core/words.hpp"

namespace crescendo {
namespace {

struct TypeOf {
    Type operator()(bool) const { return Type::boolean; }
    Type operator()(std::int64_t) const { return Type::whole; }
    Type operator()(double) const { return Type::number; }
    Type operator()(const std::string&) const { return Type::text; }
    Type operator()(const JsonValue&) const { return Type::mixed; }
};

struct ToDatum {
    Datum operator()(const JsonValue& value) const { return value.text; }
    Datum operator()(const auto& value) const { return value; }
};

struct ToValue {
    Value operator()(std::monostate) const {
        CRESCENDO_EXPECT(!"an absent datum has no value");
        return {};
    }
    Value operator()(std::string_view text) const { return std::string(text); }
    template <class Plain>
    Value operator()(Plain value) const {
        return value;
    }
};

constexpr Words descriptions{{std::pair{Type::boolean, "true or false"},
                              {Type::whole, "a whole number"},
                              {Type::number, "a number"},
                              {Type::text, "text"},
                              {Type::mixed, "a value of several types"}}};

}  // namespace

Type type_of(const Value& value) { return std::visit(TypeOf{}, value); }

Datum to_datum(const Value& value) { return std::visit(ToDatum{}, value); }

Value to_value(const Datum& datum) { return std::visit(ToValue{}, datum); }

const char* describe(Type type) { return descriptions.of(type); }

Type common_type(Type a, Type b) {
    if (a == b) {
        return a;
    }
    return is_numeric(a) && is_numeric(b) ? Type::number : Type::mixed;
}

}  // namespace crescendo
