#include "launch/display/chart_range.hpp"

#include <doctest/doctest.h>

#include <cmath>

using namespace crescendo::launch;

TEST_CASE("an axis shows up to a thousand times the third quartile or the best value") {
    CHECK(largest_shown({0.5, 1e30, 1, 1}, 0.5) == 1000);
    CHECK(largest_shown({-1, -1, -1e30, 0.5}, 0.5) == 1000);
    CHECK(largest_shown({1, 2, 3, 1e9}, 1e9) == 1e12);
    CHECK(std::isinf(largest_shown({0, 0, 0, 5}, 0)));
    CHECK(largest_shown({7}, 7) == 7000);
}

TEST_CASE("the ends of an axis have labels that differ") {
    CHECK(end_labels(0, 1) == std::pair<std::string, std::string>{"0", "1"});
    CHECK(end_labels(12000, 12010) == std::pair<std::string, std::string>{"12000", "12010"});
}
