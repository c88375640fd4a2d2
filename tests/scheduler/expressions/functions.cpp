#include "scheduler/expressions/functions.hpp"

#include <cmath>

#include "tests/scheduler/expressions/evaluate.hpp"

using namespace crescendo;
using namespace crescendo::tests;

TEST_CASE("sqrt, exp, log and pow give floating-point numbers") {
    CHECK(number("sqrt(16)") == 4);
    CHECK(number("exp(0)") == 1);
    CHECK(number("log(exp(3))") == doctest::Approx(3));
    CHECK(number("pow(2, 0.5)") == doctest::Approx(std::sqrt(2.0)));
    CHECK(number("pow(2, 3)") == 8);
}

TEST_CASE("min, max and abs of whole numbers are whole") {
    CHECK(value_of("min(seven, 3)") == Value{std::int64_t{3}});
    CHECK(value_of("max(1, seven, 3)") == Value{std::int64_t{7}});
    CHECK(value_of("max(seven, half)") == Value{7.0});
    CHECK(value_of("min(1, 2, 3, half)") == Value{0.5});
    CHECK(value_of("abs(minus_two)") == Value{std::int64_t{2}});
    CHECK(value_of("abs(-half)") == Value{0.5});
}

TEST_CASE("rounding gives whole numbers, and halves round to even") {
    CHECK(value_of("floor(-0.5)") == Value{std::int64_t{-1}});
    CHECK(value_of("ceil(0.5)") == Value{std::int64_t{1}});
    CHECK(value_of("int(-1.9)") == Value{std::int64_t{-1}});
    CHECK(value_of("int(flag)") == Value{std::int64_t{1}});
    CHECK(whole("round(0.5)") == 0);
    CHECK(whole("round(1.5)") == 2);
    CHECK(whole("round(2.5)") == 2);
    CHECK(whole("round(-0.5)") == 0);
    CHECK(whole("round(-1.5)") == -2);
    CHECK(whole("round(2.4)") == 2);
    CHECK(whole("round(-2.6)") == -3);
    CHECK(whole("round(0.49999999999999994)") == 0);
    CHECK(whole("round(4503599627370497.0)") == 4503599627370497);  // half of it is not even
    CHECK(whole("floor(seven)") == 7);
}

TEST_CASE("a function call without a result is an error") {
    CHECK(error_of("1 + sqrt(minus_two)") == "4: takes the root of -2; use a range that begins at 0");
    CHECK(error_of("log(0)") == "0: takes the logarithm of 0; use a range above 0");
    CHECK(error_of("log(-half)").starts_with("0: takes the logarithm of -0.5"));
    CHECK(error_of("exp(1000)").starts_with("0: gives a number too large to represent"));
    CHECK(error_of("pow(0, -1)").starts_with("0: divides by zero"));
    CHECK(error_of("int(1e19)").starts_with("0: gives a whole number beyond 64 bits"));
    CHECK(error_of("floor(-1e19)").starts_with("0: gives a whole number beyond 64 bits"));
    CHECK(error_of("abs(-9223372036854775807 - 1)").starts_with("0: gives a whole number beyond 64 bits"));
    CHECK(whole("int(-9223372036854775808.0)") == -9223372036854775807 - 1);
}

TEST_CASE("an unknown function or a wrong number or type of arguments is an error") {
    CHECK(error_of("1 + sqrt(1, 2)") == "4: sqrt takes one number, not 2; write sqrt(x)");
    CHECK(error_of("pow(2)") == "0: pow takes two numbers, not 1; write pow(x, y)");
    CHECK(error_of("max()") == "0: max takes two numbers or more, not 0; write max(x, y)");
    CHECK(error_of("abs(optimizer)") ==
          "4: abs takes numbers, but this is text; compare it first, or use another parameter");
    CHECK(error_of("sqrt(flag)").starts_with("5: sqrt takes numbers, but this is true or false"));
    CHECK(error_of("2 * sin(1)") ==
          "4: there is no function sin; the functions are sqrt, log, exp, pow, min, max, abs, floor, ceil, round, int");
}

TEST_CASE("a function of an absent value gives nothing") {
    CHECK(!result_of("sqrt(absent)"));
    CHECK(!result_of("max(1, absent)"));
    CHECK(!result_of("min(1, 2, absent)"));
}
