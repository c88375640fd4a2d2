#include "scheduler/ladder.hpp"

#include <doctest/doctest.h>

#include <limits>

using namespace crescendo;

using Steps = std::vector<std::int64_t>;

TEST_CASE("a ladder multiplies its first step by the factor until it reaches the last") {
    CHECK(ladder(1, 27, 3) == Steps{1, 3, 9, 27});
    CHECK(ladder(2, 32, 4) == Steps{2, 8, 32});
}

TEST_CASE("a ladder to 243 with factor 3 has 6 rungs") {
    // log(243) / log(3) is 4.999… in floating point.
    CHECK(ladder(1, 243, 3) == Steps{1, 3, 9, 27, 81, 243});
}

TEST_CASE("a ladder contains its last step exactly once, whether or not the factor leads to it") {
    CHECK(ladder(1, 10, 3) == Steps{1, 3, 9, 10});
    CHECK(ladder(1, 9, 3) == Steps{1, 3, 9});
    CHECK(ladder(5, 6, 3) == Steps{5, 6});
    CHECK(ladder(5, 5, 3) == Steps{5});
}

TEST_CASE("a ladder to an exact power has one step more than its exponent") {
    for (std::int64_t factor = 2; factor <= 10; ++factor) {
        std::int64_t last = 1;
        for (std::size_t exponent = 0; exponent < 18; ++exponent, last *= factor) {
            CHECK(ladder(1, last, factor).size() == exponent + 1);
        }
    }
}

TEST_CASE("a ladder up to the largest integer does not overflow") {
    constexpr auto largest = std::numeric_limits<std::int64_t>::max();

    CHECK(ladder(1, largest, 2).size() == 64);  // 2^0 … 2^62, then 2^63 - 1
    CHECK(ladder(largest - 1, largest, 1000) == Steps{largest - 1, largest});
    CHECK(ladder(1, largest, largest) == Steps{1, largest});
}
