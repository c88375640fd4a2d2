#include "launch/display/number_text.hpp"

#include <doctest/doctest.h>

#include <limits>

using namespace crescendo::launch;

TEST_CASE("the seconds of an hours-long sweep have no exponent") {
    CHECK(number_text(12345.678) == "12346");  // `status` used to show 1.235e+04
    CHECK(number_text(172800.4) == "172800");
    CHECK(number_text(9999.7) == "10000");
    CHECK(number_text(-1234567.8, 5) == "-1234568");
}

TEST_CASE("a number for people has few digits, and an exponent only if it would be long without one") {
    CHECK(number_text(0.0312345) == "0.03123");
    CHECK(number_text(0.0312346, 5) == "0.031235");
    CHECK(number_text(999.96) == "1000");
    CHECK(number_text(3) == "3");
    CHECK(number_text(1e-7) == "1e-07");
    CHECK(number_text(12345678) == "1.235e+07");
    CHECK(number_text(std::numeric_limits<double>::infinity()) == "inf");
    CHECK(number_text(std::numeric_limits<double>::quiet_NaN()) == "nan");
}

TEST_CASE("a count is followed by its noun in the plural unless it is one") {
    CHECK(counted(0, "trial") == "0 trials");
    CHECK(counted(1, "trial") == "1 trial");
    CHECK(counted(2, "failed trial") == "2 failed trials");
}

TEST_CASE("a number is rounded to significant digits, unless none that is so close exists") {
    CHECK(rounded(0.0010000000000000002, 12) == 0.001);
    CHECK(rounded(-123456, 3) == -123000);
    CHECK(rounded(1.797e308, 2) == 1.797e308);
}
