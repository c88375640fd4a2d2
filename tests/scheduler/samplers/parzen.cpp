#include "scheduler/samplers/parzen.hpp"

#include <doctest/doctest.h>

#include <cmath>

using namespace crescendo;

namespace {

const SearchSpace mixed{{{"x", Uniform{0, 1}}, {"c", Categorical{{1.0, 2.0, 3.0, 4.0}}}}};

constexpr Parzen::Smoothing smoothing{.prior_weight = 3, .least_width = 0.7};

}  // namespace

TEST_CASE("without points, the density is uniform") {
    const auto axes = Axis::all_of(mixed);
    const Parzen parzen(axes, {}, smoothing);

    CHECK(parzen.log_density(std::vector{0.3, 0.125}) == 0);
}

TEST_CASE("the density adds up to 1, even if a point lacks a coordinate") {
    const auto axes = Axis::all_of(mixed);
    const std::vector<double> first{0.02, 0.375};
    const std::vector<double> second{0.9, -1};
    const Parzen parzen(axes, {{first, 1}, {second, 3}}, smoothing);

    double sum = 0;
    double sum_without = 0;
    for (double x = 0.0005; x < 1; x += 0.001) {
        for (const double category : {0.125, 0.375, 0.625, 0.875}) {
            sum += std::exp(parzen.log_density(std::vector{x, category})) * 0.001 / 4;
        }
        sum_without += std::exp(parzen.log_density(std::vector{x, -1.0})) * 0.001;
    }

    CHECK(sum == doctest::Approx(1).epsilon(1e-3));
    CHECK(sum_without == doctest::Approx(1).epsilon(1e-3));
}

TEST_CASE("draws follow the density") {
    const auto axes = Axis::all_of(mixed);
    const std::vector<double> point{0.1, 0.625};
    const Parzen parzen(axes, {{point, 4}}, smoothing);
    CounterRandom random(/*seed=*/1, /*stream=*/0);
    int num_left = 0;
    int num_same = 0;
    for (int i = 0; i < 4000; ++i) {
        const auto drawn = parzen.sample(random);
        REQUIRE(drawn[0] >= 0);
        REQUIRE(drawn[0] < 1);
        num_left += drawn[0] < 0.5;
        num_same += drawn[1] >= 0.5 && drawn[1] < 0.75;
    }
    double left = 0;
    for (double x = 0.0005; x < 0.5; x += 0.001) {
        left += std::exp(parzen.log_density(std::vector{x, -1.0})) * 0.001;
    }
    const double same = std::exp(parzen.log_density(std::vector{-1.0, 0.625})) / 4;

    CHECK(std::abs(num_left / 4000.0 - left) < 4 * 0.5 / std::sqrt(4000.0));
    CHECK(std::abs(num_same / 4000.0 - same) < 4 * 0.5 / std::sqrt(4000.0));
    CHECK(left > 0.7);
    CHECK(same > 0.4);
}

TEST_CASE("a point with a weight below 1 has the same kernel as a point with weight 1") {
    const std::vector<Axis> axes{{}};
    const std::vector<double> point{0.5};
    const auto kernel_at_center = [&](double weight) {  // the density is (1 + weight * kernel) / (1 + weight)
        const Parzen parzen(axes, {{point, weight}}, {.prior_weight = 1, .least_width = 0.1});
        return (std::exp(parzen.log_density(point)) * (1 + weight) - 1) / weight;
    };

    CHECK(kernel_at_center(0.2) == doctest::Approx(kernel_at_center(1)));
}

TEST_CASE("a greater width or breadth spreads the density around the points, and a greater prior raises it elsewhere") {
    const std::vector<Axis> axes{{}};
    const std::vector<double> point{0.5};
    const std::vector<Parzen::Kernel> kernels(20, {point, 1});
    const auto density_at = [&](double x, const Parzen::Smoothing& its) {
        return std::exp(Parzen(axes, kernels, its).log_density(std::vector{x}));
    };

    CHECK(density_at(0.5, {1, 0.5, 3}) < 0.5 * density_at(0.5, {1, 0.5}));
    CHECK(density_at(0.5, {1, 1}) < 0.6 * density_at(0.5, {1, 0.5}));
    CHECK(density_at(0.99, {1, 0.5}) == doctest::Approx(1.0 / 21));
    CHECK(density_at(0.99, {3, 0.5}) == doctest::Approx(3.0 / 23));
}
