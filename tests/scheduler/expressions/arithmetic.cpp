#include "scheduler/expressions/arithmetic.hpp"

#include "tests/scheduler/expressions/evaluate.hpp"

using namespace crescendo;
using namespace crescendo::tests;

TEST_CASE("whole numbers stay whole except with / and **") {
    CHECK(value_of("seven + 1") == Value{std::int64_t{8}});
    CHECK(value_of("seven - 8") == Value{std::int64_t{-1}});
    CHECK(value_of("seven * minus_two") == Value{std::int64_t{-14}});
    CHECK(value_of("6 / 2") == Value{3.0});
    CHECK(value_of("2 ** 10") == Value{1024.0});
    CHECK(value_of("10 ** -3") == Value{0.001});
    CHECK(value_of("seven + half") == Value{7.5});
    CHECK(value_of("half * 2") == Value{1.0});
    CHECK(value_of("-seven") == Value{std::int64_t{-7}});
    CHECK(value_of("-half") == Value{-0.5});
}

TEST_CASE("// rounds down and % has the sign of the divisor, as in Python") {
    for (const auto& [x, y, quotient, rest] : {std::tuple{7, 2, 3, 1},
                                               {-7, 2, -4, 1},
                                               {7, -2, -4, -1},
                                               {-7, -2, 3, -1},
                                               {6, 3, 2, 0},
                                               {-6, 3, -2, 0}}) {
        const auto divided = [&, x = x, y = y](const char* sign, const char* end) {
            return text("({}{} {} {}{})", x, end, sign, y, end);
        };
        CHECK(whole(divided("//", "")) == quotient);
        CHECK(whole(divided("%", "")) == rest);
        CHECK(number(divided("//", ".0")) == quotient);
        CHECK(number(divided("%", ".0")) == rest);
    }
    CHECK(number("7.5 % 2") == 1.5);
    CHECK(number("-7.5 // 2") == -4);
    CHECK(number("1.0 // 0.1") == 9);
    CHECK(number("-1.0 // 0.1") == -10);
    CHECK(number("(1.0 // 0.1) * 0.1 + 1.0 % 0.1") == 1);
    CHECK(number("0.7 // 0.1") == 6);
    CHECK(number("6.000000000000001 // 2") == 3);
}

TEST_CASE("an overflow of whole numbers is an error") {
    const std::string most = "9223372036854775807";
    const std::string least = "(-9223372036854775807 - 1)";

    for (const auto& each : {most + " + 1", least + " - 1", most + " * 2", least + " // -1", least + " % -1",
                             "-" + least, least + " * -1"}) {
        CHECK_MESSAGE(error_of(each).find("gives a whole number beyond 64 bits") != std::string::npos, each);
    }
    CHECK(whole(most + " + 0 * 3") == 9223372036854775807);
    CHECK(whole(least + " // 1") == -9223372036854775807 - 1);
    CHECK(number(most + " * 1.0") == 0x1p63);
}

TEST_CASE("a result that is not a finite number is an error at its operator") {
    CHECK(error_of("1 / 0") == "2: divides by zero; leave 0 out of the range, or add a number to the divisor");
    CHECK(error_of("half / (half - 0.5)").starts_with("5: divides by zero"));
    CHECK(error_of("seven // 0").starts_with("6: divides by zero"));
    CHECK(error_of("seven % 0").starts_with("6: divides by zero"));
    CHECK(error_of("seven % 0.0").starts_with("6: divides by zero"));
    CHECK(error_of("half // 0").starts_with("5: divides by zero"));
    CHECK(error_of("0 ** -1").starts_with("2: divides by zero"));
    CHECK(error_of("1e308 * 10").starts_with("6: gives a number too large to represent"));
    CHECK(error_of("10 ** 400").starts_with("3: gives a number too large to represent"));
    CHECK(error_of("(-2) ** half").starts_with("5: takes a root of a number below 0"));
}

TEST_CASE("arithmetic takes numbers only") {
    CHECK(error_of("seven + optimizer") ==
          "8: '+' takes numbers, but its right side is text; compare it first, or use another parameter");
    CHECK(error_of("flag * 2").starts_with("0: '*' takes numbers, but its left side is true or false"));
    CHECK(error_of("anything - 1").starts_with("0: '-' takes numbers, but its left side is a value of several types"));
    CHECK(error_of("1 - -flag")
              .starts_with("5: '-' takes a number, but this is true or false; to negate a condition, write not"));
}

TEST_CASE("arithmetic with an absent value gives nothing") {
    CHECK(!result_of("absent + 1"));
    CHECK(!result_of("1 / absent"));
    CHECK(!result_of("-absent"));
    CHECK(!result_of("2 ** absent"));
}
