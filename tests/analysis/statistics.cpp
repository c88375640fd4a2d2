#include "analysis/statistics.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <vector>

#include "core/random.hpp"
#include "tests/analysis/infinity.hpp"

using namespace crescendo::analysis;
using crescendo::CounterRandom;
using crescendo::tests::infinity;

namespace {

using Values = std::vector<double>;

}  // namespace

TEST_CASE("the geometric mean averages factors") {
    CHECK(geometric_mean(Values{0.5, 2}) == doctest::Approx(1));
    CHECK(geometric_mean(Values{2, 4, 8}) == doctest::Approx(4));
    CHECK(geometric_mean(Values{7}) == doctest::Approx(7));
    CHECK(geometric_mean(Values{0, 5}) == 0);
}

TEST_CASE("one value has an interval without width") {
    CHECK(bootstrap_median(Values{3}) == Interval{3, 3});
    CHECK(bootstrap_median_ratio(Values{6}, Values{3}) == Interval{2, 2});
}

TEST_CASE("the interval of five values goes from the least to the greatest") {
    // The median of five draws is the least value with a probability of 5.8 %, which is above 2.5 %.
    CHECK(bootstrap_median(Values{3, 1, 4, 5, 2}) == Interval{1, 5});
}

TEST_CASE("the interval of many values is narrower than their range, and narrows with more values") {
    const auto width = [](int count) {
        Values values;
        for (int i = 0; i < count; ++i) {
            values.push_back(static_cast<double>(i) / count);
        }
        const auto [low, high] = bootstrap_median(values);
        CHECK(low < 0.5);
        CHECK(high > 0.45);
        return high - low;
    };

    CHECK(width(20) < 0.6);
    CHECK(width(400) < width(20) / 2);
}

TEST_CASE("an interval does not depend on the order of the values") {
    for (std::uint64_t seed = 0; seed < 50; ++seed) {
        CounterRandom random(seed, 0);
        Values values(6 + random.below(20));
        for (auto& value : values) {
            value = random.uniform();
        }
        const auto given = bootstrap_median(values);
        std::ranges::sort(values);

        CHECK(bootstrap_median(values) == given);
    }
}

TEST_CASE("infinite values can be ends of intervals") {
    CHECK(bootstrap_median(Values{1, 2, 3, 4, infinity}) == Interval{1, infinity});
    CHECK(bootstrap_median(Values{infinity, infinity, infinity}) == Interval{infinity, infinity});
}

TEST_CASE("the interval of losses of a training that diverged lies within them") {
    CHECK(bootstrap_median(Values{1.5e308, 1.7e308}) == Interval{1.5e308, 1.7e308});
}

TEST_CASE("nothing is known about the ratio of two misses") {
    CHECK(bootstrap_median_ratio(Values{infinity}, Values{infinity}) == Interval{0, infinity});
    CHECK(bootstrap_median_ratio(Values{1}, Values{infinity}) == Interval{0, 0});
    CHECK(bootstrap_median_ratio(Values{infinity}, Values{1}) == Interval{infinity, infinity});
}

TEST_CASE("equal settings give equal intervals, and other seeds give other intervals") {
    const Values values{1, 5, 2, 8, 3, 9, 4, 7, 11, 15, 6, 13};
    const auto with = [&](std::uint64_t seed) {
        return bootstrap_median_ratio(values, Values{2.5, 3.7, 4.1, 6.3, 7.7}, {.num_samples = 200, .seed = seed});
    };

    CHECK(with(1) == with(1));
    CHECK_FALSE((with(1) == with(2) && with(2) == with(3)));
}

TEST_CASE("an interval lies within the values, grows with the confidence, and scales with them") {
    for (std::uint64_t seed = 0; seed < 1000; ++seed) {
        CounterRandom random(seed, 0);
        Values values;
        for (auto i = 1 + random.below(12); i > 0; --i) {
            values.push_back(random.uniform());
        }
        const auto interval = [&](double confidence) {
            return bootstrap_median(values, {.confidence = confidence, .num_samples = 100, .seed = seed});
        };
        const auto wide = interval(0.95);
        const auto narrow = interval(0.5);

        CHECK(wide.low >= *std::ranges::min_element(values));
        CHECK(wide.high <= *std::ranges::max_element(values));
        CHECK(wide.low <= narrow.low);
        CHECK(narrow.low <= narrow.high);
        CHECK(narrow.high <= wide.high);

        for (auto& value : values) {
            value *= 8;  // exact
        }
        CHECK(interval(0.95) == Interval{8 * wide.low, 8 * wide.high});
    }
}

TEST_CASE("the interval covers the true median about as often as it says") {
    int covered = 0;
    constexpr int num_sets = 400;
    for (std::uint64_t seed = 0; seed < num_sets; ++seed) {
        CounterRandom random(seed, 1);
        Values values;
        for (int i = 0; i < 15; ++i) {
            values.push_back(random.uniform());
        }
        const auto [low, high] = bootstrap_median(values, {.num_samples = 400, .seed = seed});
        covered += low <= 0.5 && 0.5 <= high;
    }

    CHECK(covered >= 0.90 * num_sets);
    CHECK(covered <= 0.995 * num_sets);
}
