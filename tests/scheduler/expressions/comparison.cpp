#include "scheduler/expressions/comparison.hpp"

#include "tests/scheduler/expressions/evaluate.hpp"

using namespace crescendo;
using namespace crescendo::tests;

TEST_CASE("numbers are compared by value, whole or not") {
    CHECK(holds("seven == 7.0"));
    CHECK(holds("7.0 == seven"));
    CHECK(holds("seven != 7.5"));
    CHECK(holds("seven > half"));
    CHECK(holds("half < seven"));
    CHECK(holds("seven <= 7"));
    CHECK(holds("seven >= 7"));
    CHECK_FALSE(holds("seven < 7"));
    CHECK_FALSE(holds("half > 0.5"));
    CHECK(holds("9223372036854775806 < 9223372036854775807"));  // the same in floating point
}

TEST_CASE("texts and flags are compared for equality") {
    CHECK(holds("optimizer == 'sgd'"));
    CHECK(holds("'adam' != optimizer"));
    CHECK(holds("flag == true"));
    CHECK(error_of("optimizer < 'x'") == "0: '<' compares numbers, but its left side is text; use ==, != or in");
    CHECK(error_of("half > flag").starts_with("7: '>' compares numbers, but its right side is true or false"));
}

TEST_CASE("in compares with each value of a list") {
    CHECK(holds("seven in [6, 7.0]"));
    CHECK(holds("seven not in [6, half]"));
    CHECK(holds("optimizer in ['adam', 'sgd']"));
    CHECK_FALSE(holds("seven in [minus_two]"));
}

TEST_CASE("a value of several types is equal to nothing of another type") {
    CHECK(holds("anything == 'sgd'"));
    CHECK_FALSE(holds("anything == 1"));
    CHECK_FALSE(holds("anything in [1, false]"));
    CHECK_FALSE(are_equal(Datum{true}, Datum{std::int64_t{1}}));
    CHECK(are_equal(Datum{1.0}, Datum{std::int64_t{1}}));
}

TEST_CASE("comparing values that can never be equal is a mistake") {
    CHECK(error_of("seven == '7'") == "6: a whole number is never equal to text; compare values of one type (text in "
                                      "quotes, numbers without)");
    CHECK(error_of("flag != 1").starts_with("5: true or false is never equal to a whole number"));
    CHECK(error_of("seven in [1, 'a']").starts_with("13: a whole number is never equal to text"));
}

TEST_CASE("a comparison that depends on an absent value gives nothing") {
    CHECK(!result_of("absent > 1"));
    CHECK(!result_of("absent == absent"));
    CHECK(!result_of("absent in [1, 2]"));
    CHECK(!result_of("absent not in [1, 2]"));
    CHECK(holds("seven in [7, absent]"));
    CHECK(!result_of("seven in [8, absent]"));
}
