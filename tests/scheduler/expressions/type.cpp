#include "scheduler/expressions/type.hpp"

#include "tests/scheduler/expressions/evaluate.hpp"

using namespace crescendo;

TEST_CASE("a value survives the conversion to a datum and back") {
    for (const Value& value : {Value{true}, Value{std::int64_t{3}}, Value{0.5}, Value{std::string("a")}}) {
        CHECK(to_value(to_datum(value)) == value);
        CHECK_FALSE(is_absent(to_datum(value)));
    }
    CHECK(is_absent(Datum{}));
}

TEST_CASE("a whole number is a number; other types do not mix") {
    CHECK(common_type(Type::whole, Type::number) == Type::number);
    CHECK(common_type(Type::whole, Type::whole) == Type::whole);
    CHECK(common_type(Type::boolean, Type::whole) == Type::mixed);
    CHECK(common_type(Type::text, Type::text) == Type::text);
    CHECK(type_of(std::string("a")) == Type::text);
    CHECK(type_of(2.0) == Type::number);
}
