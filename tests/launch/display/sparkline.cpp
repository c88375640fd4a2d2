#include "launch/display/sparkline.hpp"

#include <doctest/doctest.h>

#include <limits>

using crescendo::launch::sparkline;

TEST_CASE("a sparkline goes from the lowest number to the highest") {
    CHECK(sparkline({1, 2, 3, 4, 5, 6, 7, 8}, 80) == "▁▂▃▄▅▆▇█");
    CHECK(sparkline({8, 1}, 80) == "█▁");
}

TEST_CASE("equal numbers, one number and none make a flat line") {
    CHECK(sparkline({5, 5, 5}, 80) == "▁▁▁");
    CHECK(sparkline({5}, 80) == "▁");
    CHECK(sparkline({}, 80).empty());
}

TEST_CASE("a number that is not finite is marked and does not flatten the rest") {
    const double infinity = std::numeric_limits<double>::infinity();
    CHECK(sparkline({1, infinity, 2, -infinity, std::numeric_limits<double>::quiet_NaN()}, 80) == "▁×█××");
    CHECK(sparkline({infinity}, 80) == "×");
}

TEST_CASE("more numbers than columns are averaged, in order") {
    CHECK(sparkline({0, 0, 0, 7, 7, 7}, 2) == "▁█");
    CHECK(sparkline({1, 2, 3, 4, 5}, 2) == "▁█");  // means of 1, 2 and of 3, 4, 5
}

TEST_CASE("the largest possible numbers make a line too") {
    const double most = std::numeric_limits<double>::max();
    CHECK(sparkline({-most, 0, most}, 80) == "▁▅█");
}
