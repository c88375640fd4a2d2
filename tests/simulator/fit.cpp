#include "simulator/fit.hpp"

#include <doctest/doctest.h>

#include "simulator/statistics.hpp"

using namespace crescendo::simulator;

TEST_CASE("epochs and starts are told apart") {
    // Epochs of 10 and 20 s, a start of 3 s; the third trial has one report only, the fourth none.
    const auto fitted = fit({{{{13, 1, 1}, {10, 1, 1}, {20, 2, 1}}}, {{{23, 1, 1}, {20, 1, 1}}}, {{{15, 1, 1}}}, {{}}});

    CHECK(fitted.start == doctest::Approx(3));
    CHECK(fitted.epoch == std::vector<double>{10, 20, 12, 12});
    CHECK_FALSE(fitted.loss_per_doubling);
}

TEST_CASE("the loss per doubling comes from trials that grew") {
    // 10 s alone; four workers take 10 / (4 * 0.9 * 0.9).
    const double four = 10 / 3.24;

    const auto fitted = fit({{{{10, 1, 1}, {10, 1, 1}, {four, 1, 4}, {2 * four, 2, 4}}}});

    CHECK(*fitted.loss_per_doubling == doctest::Approx(0.1));
    CHECK(fitted.epoch.front() == doctest::Approx(10));
}

TEST_CASE("a machine on which two are slower than one has its loss, and no speed below nothing") {
    const auto fitted = fit({{{{10, 1, 1}, {10, 1, 1}, {500, 1, 2}}}});

    CHECK(*fitted.loss_per_doubling == doctest::Approx(0.95));
}

TEST_CASE("nothing reported, nothing fitted") {
    CHECK(fit({}).epoch.empty());
    CHECK(fit({{{}}, {{}}}).epoch.empty());
}
