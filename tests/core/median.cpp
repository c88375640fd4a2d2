#include "core/median.hpp"

#include <doctest/doctest.h>

#include <limits>

using crescendo::median;

TEST_CASE("the median is the middle, or the mean of the two in the middle") {
    CHECK(median({7}) == 7);
    CHECK(median({3, 1, 2}) == 2);
    CHECK(median({4, 1, 2, 3}) == 2.5);
}

TEST_CASE("the median of the largest numbers is finite") {
    constexpr double largest = std::numeric_limits<double>::max();

    CHECK(median({largest, largest}) == largest);
    CHECK(median({-largest, largest}) == 0);
}

TEST_CASE("infinities take part in a median") {
    constexpr double infinity = std::numeric_limits<double>::infinity();

    CHECK(median({infinity, 1, 2}) == 2);
    CHECK(median({infinity, 1, infinity}) == infinity);
    CHECK(median({1, infinity}) == infinity);  // the mean of 1 and infinity
    CHECK(median({infinity, infinity}) == infinity);
}
