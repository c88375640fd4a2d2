#include "scheduler/space/distribution.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <map>

using namespace crescendo;

namespace {

double number(const Value& value) { return std::get<double>(value); }

/// Values drawn from streams of fixed seeds, in ascending order.
std::vector<double> sorted_draws(const Distribution& distribution, int count, std::uint64_t seed) {
    CounterRandom random(seed, /*stream=*/0);
    std::vector<double> values;
    for (int i = 0; i < count; ++i) {
        values.push_back(number(draw(distribution, random)));
    }
    std::sort(values.begin(), values.end());
    return values;
}

/// The Kolmogorov-Smirnov statistic times the square root of the number of values: above 1.95 for one sample in 1,000.
double distance_from(const std::vector<double>& sorted, const std::function<double(double)>& probability_below) {
    const auto count = static_cast<double>(sorted.size());
    double distance = 0;
    for (std::size_t i = 0; i < sorted.size(); ++i) {
        const double expected = probability_below(sorted[i]);
        const auto rank = static_cast<double>(i);
        distance = std::max({distance, expected - rank / count, (rank + 1) / count - expected});
    }
    return distance * std::sqrt(count);
}

double normal_below(double x) { return std::erfc(-x / std::sqrt(2.0)) / 2; }

/// The chi-squared statistic of counts against their expected probabilities.
double chi_squared(const std::map<double, int>& counts, const std::map<double, double>& probabilities, int total) {
    double sum = 0;
    for (const auto& [value, probability] : probabilities) {
        const double expected = probability * total;
        const double difference = (counts.contains(value) ? counts.at(value) : 0) - expected;
        sum += difference * difference / expected;
    }
    return sum;
}

std::map<double, int> counts_of(const Distribution& distribution, int total) {
    CounterRandom random(/*seed=*/11, /*stream=*/0);
    std::map<double, int> counts;
    for (int i = 0; i < total; ++i) {
        ++counts[number(draw(distribution, random))];
    }
    return counts;
}

const std::vector<Distribution> all_numbers{
    Uniform{-1, 3},       LogUniformValues{1e-5, 1}, QUniform{-2, 2, 0.3}, QLogUniformValues{1, 99, 4},
    Normal{3, 2},         QNormal{3, 2, 0.25},       LogNormal{-4, 1},     QLogNormal{2, 1, 2},
    Beta{0.5, 3},         QBeta{2, 2, 0.05},         Normal{0, 1e-3},      Beta{40, 2},
};

}  // namespace

TEST_CASE("draws match the theory of their distribution") {
    struct Case {
        Distribution distribution;
        std::function<double(double)> probability_below;
    };
    const std::array cases{
        Case{Uniform{-2, 6}, [](double x) { return (x + 2) / 8; }},
        Case{LogUniformValues{1e-4, 1}, [](double x) { return 1 + std::log10(x) / 4; }},
        Case{Normal{3, 2}, [](double x) { return normal_below((x - 3) / 2); }},
        Case{LogNormal{-4, 0.5}, [](double x) { return normal_below((std::log(x) + 4) / 0.5); }},
        Case{Beta{2, 1}, [](double x) { return x * x; }},
        Case{Beta{1, 3}, [](double x) { return 1 - std::pow(1 - x, 3); }},
        Case{Beta{2, 2}, [](double x) { return x * x * (3 - 2 * x); }},
        Case{Beta{0.5, 0.5}, [](double x) { return 2 / std::acos(-1.0) * std::asin(std::sqrt(x)); }},
    };

    for (std::size_t i = 0; i < cases.size(); ++i) {
        for (std::uint64_t seed = 0; seed < 5; ++seed) {
            CAPTURE(i);
            CAPTURE(seed);
            const auto& [distribution, probability_below] = cases[i];
            CHECK(distance_from(sorted_draws(distribution, 2000, seed), probability_below) < 1.95);
        }
    }
}

TEST_CASE("a quantized value is drawn with the probability of all values that round to it") {
    // 5 categories have 4 degrees of freedom: chi-squared is above 18.5 for one sample in 1,000.
    std::map<double, double> normal;
    for (const double x : {-1.0, 0.0, 1.0}) {
        normal[x] = normal_below(x + 0.5) - normal_below(x - 0.5);
    }
    normal[2] = normal_below(2.5) - normal_below(1.5);
    normal[-2] = normal[2];
    CHECK(chi_squared(counts_of(QNormal{0, 1, 1}, 10'000), normal, 10'000) < 18.5);

    // Beta(2, 1) is below x with the probability x^2. The values 0 and 1 have only half a cell.
    const std::map<double, double> beta{
        {0, 0.015625}, {0.25, 0.125}, {0.5, 0.25}, {0.75, 0.375}, {1, 0.234375}};
    CHECK(chi_squared(counts_of(QBeta{2, 1, 0.25}, 10'000), beta, 10'000) < 18.5);
}

TEST_CASE("categories are drawn with their probabilities") {
    const Categorical weighted{{1.0, 2.0, 3.0, 4.0, 5.0}, {0.5, 0.0, 0.25, 0.15, 0.1}};
    const auto counts = counts_of(weighted, 10'000);

    CHECK(!counts.contains(2.0));
    CHECK(chi_squared(counts, {{1, 0.5}, {3, 0.25}, {4, 0.15}, {5, 0.1}}, 10'000) < 16.3);  // 3 degrees of freedom
}

TEST_CASE("a coordinate chooses among weighted categories in their order") {
    const Categorical weighted{{1.0, 2.0, 3.0}, {0.5, 0.5, 0.0}};

    CHECK(number(value_at(weighted, 0)) == 1);
    CHECK(number(value_at(weighted, 0.4999)) == 1);
    CHECK(number(value_at(weighted, 0.5)) == 2);
    CHECK(number(value_at(weighted, 1 - 0x1.0p-53)) == 2);  // the last one with a probability above 0
}

TEST_CASE("probabilities that add up to slightly less than 1 still cover the last coordinate") {
    const Categorical thirds{{1.0, 2.0, 3.0}, {0.333333, 0.333333, 0.333333}};

    CHECK(number(value_at(thirds, 1 - 0x1.0p-53)) == 3);
}

TEST_CASE("values grow with the coordinate") {
    for (std::size_t i = 0; i < all_numbers.size(); ++i) {
        CAPTURE(i);
        double last = number(value_at(all_numbers[i], 0));
        for (int step = 1; step < 1000; ++step) {
            const double value = number(value_at(all_numbers[i], step / 1000.0));
            REQUIRE(value >= last);
            last = value;
        }
        CHECK(last > number(value_at(all_numbers[i], 0)));
    }
}

TEST_CASE("a seed always draws the same values, and every draw is the value at a coordinate") {
    for (std::uint64_t seed = 0; seed < 1000; ++seed) {
        for (const auto& distribution : all_numbers) {
            CounterRandom random(seed, /*stream=*/1);
            CounterRandom again(seed, /*stream=*/1);
            const double value = number(draw(distribution, random));

            REQUIRE(value == number(value_at(distribution, again.uniform())));
            REQUIRE(std::isfinite(value));
        }
    }
}

TEST_CASE("the middle coordinate is the median") {
    CHECK(number(value_at(Normal{3, 2}, 0.5)) == 3);
    CHECK(number(value_at(LogNormal{std::log(5.0), 2}, 0.5)) == doctest::Approx(5));
    CHECK(number(value_at(Beta{7, 7}, 0.5)) == doctest::Approx(0.5).epsilon(1e-14));
}

TEST_CASE("the first and the last coordinate of a normal distribution are finite") {
    CHECK(number(value_at(Normal{0, 1}, 0)) == doctest::Approx(-8.2924));
    CHECK(number(value_at(Normal{0, 1}, 1 - 0x1.0p-53)) == doctest::Approx(8.2095));
}

TEST_CASE("quantized values are multiples of q, and never a negative zero") {
    CHECK(number(value_at(QNormal{0, 10, 2.5}, 0.7)) == 5);  // 5.24
    CHECK(number(value_at(QLogNormal{0, 1, 0.5}, 0.5)) == 1);
    CHECK(number(value_at(QBeta{2, 2, 0.25}, 0.5)) == 0.5);
    CHECK(to_string(value_at(QNormal{0, 1, 1}, 0.45)) == "0");  // -0.13
}

TEST_CASE("the part of a range beyond its outermost multiple belongs to that multiple's cell") {
    // 1 to 6 rounds to 4, and 6 to 10.5 rounds to 8, although 0 and 12 would be nearer to some values.
    CHECK(cell_at(QUniform{1, 10.5, 4}, 0) == std::pair(0.0, 5 / 9.5));
    CHECK(coordinate_of(QUniform{1, 10.5, 4}, 4.0) == 2.5 / 9.5);

    const std::array<Distribution, 4> cut{QUniform{1, 10.5, 4}, QUniform{1, 100, 10}, QLogUniformValues{3, 100, 8},
                                          QUniform{-1, 1, 3}};
    for (std::size_t i = 0; i < cut.size(); ++i) {
        CAPTURE(i);
        for (int step = 0; step < 1000; ++step) {
            const double coordinate = (step + 0.5) / 1000;
            const auto [first, last] = cell_at(cut[i], coordinate);
            REQUIRE(first <= coordinate);
            REQUIRE(coordinate <= last);
            REQUIRE(coordinate_of(cut[i], value_at(cut[i], coordinate)) == (first + last) / 2);
        }
    }
}
