#include "scheduler/growth/recent.hpp"

#include <doctest/doctest.h>

#include <utility>

using namespace crescendo;

TEST_CASE("the median of an even count of recent numbers is the lower of the two in the middle") {
    Recent<4> recent;
    for (const auto& [number, median] : {std::pair{8.0, 8.0}, {2.0, 2.0}, {4.0, 4.0}, {6.0, 4.0}, {1.0, 2.0}}) {
        recent.add(number);
        CHECK(recent.median() == median);  // the last one is the fifth: 8 is forgotten
    }
    CHECK(recent.count() == 4);
}

TEST_CASE("the scatter is half the width of the middle half, in units of the median") {
    Recent<9> recent;
    recent.add(5);
    CHECK(recent.scatter() == 0);
    for (const double number : {1, 9, 2, 8, 3, 7, 4, 6}) {
        recent.add(number);
    }
    CHECK(recent.scatter() == doctest::Approx((7.0 - 3.0) / (2 * 5.0)));
}
