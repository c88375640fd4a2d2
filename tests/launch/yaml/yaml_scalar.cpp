#include "launch/yaml/yaml_scalar.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <stdexcept>

using crescendo::launch::OrderedJson;
using crescendo::launch::parse_plain_scalar;

namespace {

void check(const char* text, const OrderedJson& expected) {
    CAPTURE(text);
    const auto value = parse_plain_scalar(text);

    CHECK(value == expected);
    CHECK(value.type_name() == std::string(expected.type_name()));
    CHECK(value.is_number_float() == expected.is_number_float());
}

}  // namespace

TEST_CASE("plain scalars have the types of YAML's core schema") {
    for (const auto* text : {"", "~", "null", "Null", "NULL"}) {
        check(text, nullptr);
    }
    check("true", true);
    check("FALSE", false);
    check("16", 16);
    check("+16", 16);
    check("-7", -7);
    check("007", 7);
    check("0o17", 15);
    check("0xFf", 255);
    check("1e-4", 1e-4);
    check("1E3", 1000.0);
    check(".5", 0.5);
    check("-.5", -0.5);
    check("+1.", 1.0);
    check("16.0", 16.0);
    check("-.inf", -std::numeric_limits<double>::infinity());
    CHECK(std::isnan(parse_plain_scalar(".nan").get<double>()));
}

TEST_CASE("words that only look like something else are text") {
    for (const auto* text :
         {"yes", "on",    "off", "tRue", "nan",  "inf",   "-",     ".",   "+",     "+-5", "--5",  "1e",
          "1e+", "1_000", "0x",  "0o8",  "0x-5", "0x1p3", "12:30", "3x3", "1.2.3", "e5",  "${lr}"}) {
        check(text, text);
    }
}

TEST_CASE("a number that does not fit into 64 bits is an error") {
    CHECK(parse_plain_scalar("9223372036854775807") == std::numeric_limits<std::int64_t>::max());
    CHECK_THROWS_AS(parse_plain_scalar("9223372036854775808"), std::out_of_range);
    CHECK_THROWS_AS(parse_plain_scalar("1e999"), std::out_of_range);
}
