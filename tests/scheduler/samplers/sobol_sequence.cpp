#include "scheduler/samplers/sobol_sequence.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <set>

using namespace crescendo;

namespace {

using Points = std::vector<std::vector<double>>;

Points points_of(int num_dimensions, std::uint32_t count, std::uint64_t seed) {
    const SobolSequence sequence(num_dimensions, seed);
    Points points;
    for (std::uint32_t i = 0; i < count; ++i) {
        points.push_back(sequence.at(i));
    }
    return points;
}

/// The centered discrepancy (squared) of the coordinates [first, last): Hickernell, "A generalized discrepancy and
/// quadrature error bound", 1998. The same as scipy.stats.qmc.discrepancy.
double centered_discrepancy(const Points& points, std::size_t first, std::size_t last) {
    const auto n = static_cast<double>(points.size());
    double singles = 0;
    double pairs = 0;
    for (const auto& x : points) {
        double single = 1;
        for (auto k = first; k < last; ++k) {
            const double from_center = std::abs(x[k] - 0.5);
            single *= 1 + from_center / 2 - from_center * from_center / 2;
        }
        singles += single;
        for (const auto& y : points) {
            double pair = 1;
            for (auto k = first; k < last; ++k) {
                pair *= 1 + std::abs(x[k] - 0.5) / 2 + std::abs(y[k] - 0.5) / 2 - std::abs(x[k] - y[k]) / 2;
            }
            pairs += pair;
        }
    }
    return std::pow(13.0 / 12, static_cast<double>(last - first)) - 2 / n * singles + pairs / (n * n);
}

/// The mean over `num_seeds` seeds.
double mean_discrepancy(int num_dimensions, std::uint32_t count, int num_seeds) {
    double sum = 0;
    for (int seed = 0; seed < num_seeds; ++seed) {
        const auto points = points_of(num_dimensions, count, static_cast<std::uint64_t>(seed));
        sum += centered_discrepancy(points, 0, static_cast<std::size_t>(num_dimensions));
    }
    return sum / num_seeds;
}

}  // namespace

TEST_CASE("each of 2^k equal parts of every axis has one of the first 2^k points, in all 128 dimensions") {
    for (std::uint64_t seed = 0; seed < 3; ++seed) {
        const auto points = points_of(/*num_dimensions=*/128, /*count=*/256, seed);
        for (std::size_t dimension = 0; dimension < 128; ++dimension) {
            std::set<int> parts;
            for (const auto& point : points) {
                parts.insert(static_cast<int>(point[dimension] * 256));
            }
            REQUIRE(parts.size() == 256);
            REQUIRE(*parts.begin() == 0);
            REQUIRE(*parts.rbegin() == 255);
        }
    }
}

TEST_CASE("the first two dimensions are a net: each part of any grid of 2^k equal boxes has one of 2^k points") {
    const auto points = points_of(2, 64, /*seed=*/5);

    for (int columns = 1; columns <= 64; columns *= 2) {
        std::set<int> boxes;
        for (const auto& point : points) {
            const int rows = 64 / columns;
            boxes.insert(static_cast<int>(point[0] * columns) * rows + static_cast<int>(point[1] * rows));
        }
        CHECK(boxes.size() == 64);
    }
}

TEST_CASE("the discrepancy matches SciPy's scrambled Sobol sequence") {
    // Mean and standard deviation of qmc.discrepancy(qmc.Sobol(d, scramble=True, rng=k).random(n)), k = 0 … 199, of
    // SciPy 1.17.1. Random points have 5.9e-3 and 9.5e-3. The mean of 20 seeds has 1 / sqrt(20) of the deviation.
    CHECK(std::abs(mean_discrepancy(2, 64, 20) - 1.561e-4) < 4 * 4.9e-6 / std::sqrt(20.0));
    CHECK(std::abs(mean_discrepancy(6, 256, 20) - 5.517e-4) < 4 * 5.3e-6 / std::sqrt(20.0));
}

TEST_CASE("neighbouring dimensions fill their squares as evenly as SciPy's, up to the last") {
    // SciPy's mean over 40 seeds and 127 pairs is 7.88e-5, with a deviation of 4.4e-7 between seeds. Random
    // points have 1.4e-3.
    const auto points = points_of(128, 256, /*seed=*/1);
    double sum = 0;
    for (std::size_t first = 0; first + 1 < 128; ++first) {
        sum += centered_discrepancy(points, first, first + 2);
    }

    CHECK(std::abs(sum / 127 - 7.88e-5) < 4 * 4.4e-7);
}

TEST_CASE("each seed gives its own scrambling, and a single point is uniform over the seeds") {
    std::set<double> firsts;
    double sum = 0;
    for (std::uint64_t seed = 0; seed < 1000; ++seed) {
        const double first = SobolSequence(1, seed).at(0)[0];
        firsts.insert(first);
        sum += first;
    }

    CHECK(firsts.size() == 1000);
    CHECK(std::abs(sum / 1000 - 0.5) < 4 * std::sqrt(1.0 / 12 / 1000));
}

TEST_CASE("dimensions beyond the table are random, and all coordinates stay below 1") {
    for (const auto& point : points_of(140, 64, /*seed=*/2)) {
        REQUIRE(point.size() == 140);
        for (const double coordinate : point) {
            REQUIRE(coordinate >= 0);
            REQUIRE(coordinate < 1);
        }
    }
    CHECK(points_of(140, 2, 2)[0][139] != points_of(140, 2, 2)[1][139]);
}
