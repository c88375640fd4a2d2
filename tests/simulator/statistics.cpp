#include "simulator/statistics.hpp"

#include <doctest/doctest.h>

#include <cmath>

using namespace crescendo::simulator;

TEST_CASE("a mean comes with the interval of Student's t") {
    const auto [mean, half_width] = estimate({1, 2, 3});

    CHECK(mean == 2);
    CHECK(half_width == doctest::Approx(4.303 / std::sqrt(3.0)));  // standard deviation 1, 2 degrees of freedom
}

TEST_CASE("one value gives no estimate of its error") {
    CHECK(estimate({5}).mean == 5);
    CHECK(std::isinf(estimate({5}).half_width));
}

TEST_CASE("ratios are averaged geometrically") {
    CHECK(estimate_ratio({0.5, 2}).mean == doctest::Approx(1));
    CHECK(estimate_ratio({4, 4, 4}).mean == doctest::Approx(4));
    CHECK(estimate_ratio({4, 4, 4}).half_width == doctest::Approx(0));
}
