#include "core/value.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <cstdlib>

using namespace crescendo;

TEST_CASE("values print as a user writes them") {
    CHECK(to_string(Value{true}) == "true");
    CHECK(to_string(Value{false}) == "false");
    CHECK(to_string(Value{std::int64_t{-3}}) == "-3");
    CHECK(to_string(Value{std::string("relu")}) == "relu");
}

TEST_CASE("only numbers and truth values are numbers") {
    CHECK(to_number(Value{0.5}) == 0.5);
    CHECK(to_number(Value{std::int64_t{-3}}) == -3);
    CHECK(to_number(Value{true}) == 1);
    CHECK(std::isnan(to_number(Value{std::string("3")})));
    CHECK(std::isnan(to_number(Value{JsonValue("3")})));
}

TEST_CASE("a double prints as the shortest text that reads back as the same value") {
    CHECK(to_string(Value{0.1}) == "0.1");
    CHECK(to_string(Value{1e-4}) == "1e-04");
    CHECK(to_string(Value{1e5}) == "100000");
    CHECK(to_string(Value{-0.0}) == "-0");
    CHECK(to_string(Value{9007199254740992.0}) == "9007199254740992");
    CHECK(to_string(Value{1e300}) == "1e+300");
    for (const double value : {1.0 / 3.0, 0.1 + 0.2, 1e-300, -2.2250738585072014e-308}) {
        CHECK(std::strtod(to_string(Value{value}).c_str(), nullptr) == value);
    }
}
