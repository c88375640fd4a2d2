#include "analysis/performance_profile.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "analysis/time_to_target.hpp"
#include "core/random.hpp"

using namespace crescendo::analysis;
using crescendo::CounterRandom;

namespace {

const Variants no_variants(2);

/// Three submissions on two workloads. Ratios: a 1 and 2; b 2 and 1; c 4.1 and none.
const Times three{{10, 100}, {20, 50}, {41, missed}};

std::vector<double> scores(const Times& times, const Variants& variants, double r_max = 4) {
    std::vector<double> result;
    for (const auto& profile : performance_profiles(counted_times(times, variants, r_max))) {
        result.push_back(profile.score(r_max));
    }
    return result;
}

/// Times of up to six submissions on up to eight workloads; a quarter is missed.
Times random_times(CounterRandom& random) {
    const auto num_workloads = 1 + random.below(8);
    Times times(1 + random.below(6));
    for (auto& row : times) {
        for (std::uint64_t i = 0; i < num_workloads; ++i) {
            row.push_back(random.below(4) == 0 ? missed : 1 + 9 * random.uniform());
        }
    }
    return times;
}

}  // namespace

TEST_CASE("the score is the exact area under the profile") {
    const auto result = scores(three, no_variants);

    CHECK(result[0] == 5.0 / 6);  // (3 + 2) / (2 * 3)
    CHECK(result[1] == 5.0 / 6);
    CHECK(result[2] == 0);
}

TEST_CASE("a hundred points give the score of the trapezium rule") {
    const auto profiles = performance_profiles(counted_times(three, no_variants, 4));

    // tau = 2 is point 33 of 0 to 99: 32 intervals of 1/2, one of 3/4, 66 of 1.
    CHECK(profiles[0].score(4, 100) == doctest::Approx(82.75 / 99).epsilon(1e-12));
    CHECK(std::round(profiles[0].score(4, 100) * 1e6) == 835859);
    CHECK(std::round(profiles[1].score(4, 100) * 1e6) == 835859);
    CHECK(profiles[2].score(4, 100) == 0);
}

TEST_CASE("a profile is the share of workloads within a factor of the fastest") {
    const PerformanceProfile profile({1, 2, 2, missed});

    CHECK(profile.at(0.99) == 0);
    CHECK(profile.at(1) == 0.25);
    CHECK(profile.at(1.99) == 0.25);
    CHECK(profile.at(2) == 0.75);
    CHECK(profile.at(1e300) == 0.75);
}

TEST_CASE("a time of exactly r_max times the best counts, and adds nothing to the exact score") {
    const auto counted = counted_times({{1}, {4}, {4.000001}}, Variants(1), 4);

    CHECK(counted == Times{{1}, {4}, {missed}});
    CHECK(performance_profiles(counted)[1].score(4) == 0);
    CHECK(performance_profiles(counted)[1].score(4, 3) == 0.25);  // (0 + 0) / 2 and (0 + 1) / 2, over 2
}

TEST_CASE("a workload that everybody missed counts for nobody, but counts in the number of workloads") {
    CHECK(scores({{10, missed}, {20, missed}}, no_variants) == std::vector{0.5, 2.0 / 6});
}

TEST_CASE("one submission alone is the fastest") {
    CHECK(scores({{10, 100}}, no_variants) == std::vector{1.0});
    CHECK(scores({{missed, missed}}, no_variants) == std::vector{0.0});
}

TEST_CASE("equal times are equally fast, also times of 0") {
    CHECK(scores({{7, 0}, {7, 0}}, no_variants) == std::vector{1.0, 1.0});
    CHECK(scores({{7, 0}, {7, 1}}, no_variants) == std::vector{1.0, 0.5});
}

TEST_CASE("a workload with a variant counts only for submissions that hit both") {
    const Variants second_of_first{std::nullopt, 0};

    // a hits both, b misses the variant, c misses the base.
    const auto counted = counted_times({{20, 30}, {10, missed}, {missed, 5}}, second_of_first, 4);

    CHECK(counted == Times{{20}, {missed}, {missed}});  // the variant is not counted by itself
    CHECK(scores({{20, 30}, {10, missed}, {missed, 5}}, second_of_first) == std::vector{1.0, 0.0, 0.0});
}

TEST_CASE("the fastest time of a variant is the fastest among the submissions that hit its base") {
    const Variants second_of_first{std::nullopt, 0};

    // c's 5 would put a's 30 beyond four times the fastest, but c missed the base.
    CHECK(counted_times({{20, 30}, {10, 31}, {missed, 5}}, second_of_first, 4) == Times{{20}, {10}, {missed}});
    CHECK(counted_times({{20, 30}, {10, 31}, {50, 5}}, second_of_first, 4) == Times{{missed}, {missed}, {missed}});
}

TEST_CASE("a time beyond r_max times the fastest base counts as missed, even if the fastest itself does not count") {
    const Variants second_of_first{std::nullopt, 0};

    // b is the fastest at the base and misses the variant, but a is still beyond 4 * 10.
    CHECK(counted_times({{41, 30}, {10, missed}}, second_of_first, 4) == Times{{missed}, {missed}});
    // Within the limit, ratios are relative to the fastest submission that counts.
    CHECK(scores({{39, 30}, {10, missed}}, second_of_first) == std::vector{1.0, 0.0});
}

TEST_CASE("several variants of one base all count, wherever their columns are") {
    const Variants variants{2, std::nullopt, std::nullopt, 2};

    CHECK(counted_times({{9, 1, 10, 11}, {9, 1, 10, missed}}, variants, 4) == Times{{1, 10}, {1, missed}});
}

TEST_CASE("the time over the baseline is a geometric mean") {
    CHECK(time_over_baseline({10, 40}, {20, 20}, {100, 100}) == doctest::Approx(1));  // 1/2 and 2
    CHECK(time_over_baseline({10, 5}, {20, 20}, {100, 100}) == doctest::Approx(std::sqrt(0.125)));
    CHECK(time_over_baseline({3, 4}, {3, 4}, {100, 100}) == 1);
}

TEST_CASE("a miss counts as the longest time plus one second") {
    CHECK(time_over_baseline({missed}, {50}, {99}) == doctest::Approx(2));  // (99 + 1) / 50
    CHECK(time_over_baseline({50}, {missed}, {99}) == doctest::Approx(0.5));
    CHECK(time_over_baseline({missed}, {missed}, {99}) == 1);
}

TEST_CASE("profiles never fall, and scores are between 0 and 1 and close to the trapezium rule") {
    for (std::uint64_t seed = 0; seed < 3000; ++seed) {
        CounterRandom random(seed, 1);
        const auto times = random_times(random);
        const double r_max = 1.5 + 5 * random.uniform();
        const int num_points = 2 + static_cast<int>(random.below(200));
        for (const auto& profile : performance_profiles(counted_times(times, Variants(times[0].size()), r_max))) {
            double before = 0;
            for (double tau = 0.5; tau < 1.2 * r_max; tau += 0.1) {
                CHECK(profile.at(tau) >= before);
                before = profile.at(tau);
            }
            CHECK(before <= 1);
            CHECK(profile.score(r_max) >= 0);
            CHECK(profile.score(r_max) <= 1);
            CHECK(std::abs(profile.score(r_max) - profile.score(r_max, num_points)) <= 0.5 / (num_points - 1) + 1e-12);
        }
    }
}

TEST_CASE("the order of submissions and workloads, and the unit of time, do not matter") {
    for (std::uint64_t seed = 0; seed < 3000; ++seed) {
        CounterRandom random(seed, 2);
        const auto times = random_times(random);
        const auto num_workloads = times[0].size();
        Variants variants(num_workloads);
        for (std::size_t i = 1; i < num_workloads; ++i) {
            if (random.below(3) == 0) {
                variants[i] = 0;
            }
        }
        const auto expected = scores(times, variants);

        auto scaled = times;
        for (auto& row : scaled) {
            for (auto& time : row) {
                time *= 1024;  // exact
            }
        }
        CHECK(scores(scaled, variants) == expected);

        auto reversed = times;
        std::reverse(reversed.begin(), reversed.end());
        auto backwards = scores(reversed, variants);
        std::reverse(backwards.begin(), backwards.end());
        CHECK(backwards == expected);

        auto turned = times;
        for (auto& row : turned) {
            std::reverse(row.begin(), row.end());
        }
        Variants turned_variants(num_workloads);
        for (std::size_t i = 0; i < num_workloads; ++i) {
            if (variants[i]) {
                turned_variants[num_workloads - 1 - i] = num_workloads - 1 - *variants[i];
            }
        }
        CHECK(scores(turned, turned_variants) == expected);
    }
}

TEST_CASE("a submission that becomes faster, and slower nowhere, scores no less") {
    for (std::uint64_t seed = 0; seed < 3000; ++seed) {
        CounterRandom random(seed, 3);
        auto times = random_times(random);
        const auto who = random.below(times.size());
        const Variants variants(times[0].size());
        const double before = scores(times, variants)[who];

        for (auto& time : times[who]) {
            time *= random.uniform();
        }

        CHECK(scores(times, variants)[who] >= before - 1e-12);
    }
}

TEST_CASE(
    "a submission that is the fastest everywhere scores 1, and each workload that was hit has a fastest submission") {
    for (std::uint64_t seed = 0; seed < 3000; ++seed) {
        CounterRandom random(seed, 4);
        auto times = random_times(random);
        times.emplace_back(times[0].size(), 0.5);  // all others take at least 1

        const auto profiles = performance_profiles(counted_times(times, Variants(times[0].size()), 4));

        CHECK(profiles.back().score(4) == 1);
        const double sum_at_one = std::accumulate(profiles.begin(), profiles.end(), 0.0,
                                                  [](double sum, const auto& each) { return sum + each.at(1); });
        CHECK(sum_at_one >= 1);
    }
}

TEST_CASE("two submissions as each other's baseline have inverse times over the baseline") {
    for (std::uint64_t seed = 0; seed < 1000; ++seed) {
        CounterRandom random(seed, 5);
        auto times = random_times(random);
        times.push_back(times.front());
        const std::vector<double> limits(times[0].size(), 20);

        const double forth = time_over_baseline(times[0], times[times.size() / 2], limits);

        CHECK(forth * time_over_baseline(times[times.size() / 2], times[0], limits) == doctest::Approx(1));
    }
}
