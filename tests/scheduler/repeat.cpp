#include "scheduler/repeat.hpp"

#include <doctest/doctest.h>

#include <limits>

using namespace crescendo;

TEST_CASE("trials are numbered by configuration, then by repetition") {
    const Repeat repeat{.times = 3};

    CHECK(repeat.configuration_of(TrialId{7}) == TrialId{2});  // 7 = 2 * 3 + 1
    CHECK(repeat.repetition_of(TrialId{7}) == 1);
    CHECK(repeat.first_of(TrialId{2}) == TrialId{6});
    CHECK(Repeat{}.configuration_of(TrialId{7}) == TrialId{7});
    CHECK(Repeat{}.first_of(TrialId{7}) == TrialId{7});
}

TEST_CASE("a configuration is judged by the mean or the worst loss") {
    CHECK(judged_loss(JudgedBy::mean, {1.0, 2.0, 6.0}) == 3.0);
    CHECK(judged_loss(JudgedBy::worst, {1.0, 6.0, 2.0}) == 6.0);
}

TEST_CASE("a repetition that diverged makes its configuration the worst") {
    constexpr double worst = std::numeric_limits<double>::infinity();

    CHECK(judged_loss(JudgedBy::mean, {1.0, worst}) == worst);
    CHECK(judged_loss(JudgedBy::worst, {worst, 1.0}) == worst);
    CHECK(judged_loss(JudgedBy::mean, {1e308, 1e308}) == worst);  // the sum overflows
}
