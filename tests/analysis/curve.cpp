#include "analysis/curve.hpp"

#include <doctest/doctest.h>

#include "analysis/time_to_target.hpp"

using namespace crescendo::analysis;

TEST_CASE("a curve keeps its points in the order of time") {
    Curve curve;

    curve.add({1, 0.5, 1, 0.9});
    curve.add({1, 0.5, 2, 0.8});  // two evaluations at one moment of the clock
    curve.add({3, 0.9, 3, missed});

    REQUIRE(curve.points().size() == 3);
    CHECK(curve.points()[1] == Point{1, 0.5, 2, 0.8});
}
