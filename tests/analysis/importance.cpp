#include "analysis/importance.hpp"

#include <doctest/doctest.h>

#include <cmath>

using namespace crescendo::analysis;

namespace {

/// A low-discrepancy sequence; optuna_importances.py has the same.
double place(int trial, int dimension) {
    constexpr double primes[] = {2, 3, 5, 7};
    return std::fmod((trial + 1) * std::sqrt(primes[dimension]), 1.0);
}

double choice(int trial, int dimension, int number) { return std::floor(place(trial, dimension) * number); }

template <class Problem>
std::vector<Sample> samples_of(const Problem& problem) {
    std::vector<Sample> samples;
    for (int trial = 0; trial < 200; ++trial) {
        samples.push_back(problem(trial));
    }
    return samples;
}

/// The largest difference from the figures that tests/analysis/optuna_importances.py printed.
double distance(const std::vector<MeanOfTrees>& found, const std::vector<double>& optuna) {
    REQUIRE(found.size() == optuna.size());
    double most = 0;
    for (std::size_t i = 0; i < found.size(); ++i) {
        most = std::max(most, std::abs(found[i].mean - optuna[i]));
    }
    return most;
}

}  // namespace

TEST_CASE("importances of an additive problem agree with Optuna 5") {
    const auto samples = samples_of([](int trial) -> Sample {
        const double a = place(trial, 0), b = place(trial, 1), c = place(trial, 2);
        return {{a, b, c}, 4 * a + 2 * b * b + 0.2 * c};
    });
    const RegressionForest forest({{0}, {0}, {0}}, samples);

    CHECK(distance(importances(forest), {0.794, 0.179, 0.001}) < 0.05);
}

TEST_CASE("importances of a problem with an interaction agree with Optuna 5") {
    const auto samples = samples_of([](int trial) -> Sample {
        const double a = place(trial, 0), b = place(trial, 1), c = place(trial, 2);
        return {{a, b, c, place(trial, 3)}, 3 * (a - 0.5) * (b - 0.5) + c};
    });
    const RegressionForest forest({{0}, {0}, {0}, {0}}, samples);

    CHECK(distance(importances(forest), {0.022, 0.016, 0.680, 0.005}) < 0.05);
}

TEST_CASE("importances of a problem with choices agree with Optuna 5") {
    const auto samples = samples_of([](int trial) -> Sample {
        constexpr double worth[] = {0, 1, 3};
        const double x = place(trial, 0), kind = choice(trial, 1, 3), other = choice(trial, 2, 2);
        return {{x, kind, other}, worth[static_cast<int>(kind)] + 2 * x + 0.3 * other};
    });
    const RegressionForest forest({{0}, {3}, {2}}, samples);

    CHECK(distance(importances(forest), {0.166, 0.812, 0.003}) < 0.05);
}

TEST_CASE("importances of a log-uniform parameter agree with Optuna 5 on the same scale") {
    const auto samples_by = [](const auto& scale) {
        return samples_of([&](int trial) -> Sample {
            const double a = place(trial, 0), b = place(trial, 1), c = place(trial, 2);
            return {{scale(a), b, c}, 16 * (a - 0.6) * (a - 0.6) + b + 0.2 * c};
        });
    };
    const auto exponent = [](double a) { return a; };
    const auto plain = [](double a) { return (std::pow(10, 3 * a - 4) - 1e-4) / (1e-1 - 1e-4); };

    const RegressionForest by_exponent({{0}, {0}, {0}}, samples_by(exponent));
    const RegressionForest by_value({{0}, {0}, {0}}, samples_by(plain));

    CHECK(distance(importances(by_exponent), {0.968, 0.017, 0.000}) < 0.05);  // as the page does it
    CHECK(distance(importances(by_value), {0.891, 0.055, 0.006}) < 0.05);     // as Optuna does it
}

TEST_CASE("the marginal of a parameter averages over the others") {
    const auto samples = samples_of([](int trial) -> Sample {
        const double x = place(trial, 0), kind = choice(trial, 1, 2);
        return {{x, kind}, (x > 0.5 ? 1 : 0) + 2 * kind};
    });
    const RegressionForest forest({{0}, {2}}, samples);

    const auto of_x = marginal(forest, 0, 10);
    const auto of_kind = marginal(forest, 1, 10);

    REQUIRE(of_x.size() == 10);
    CHECK(of_x[0].mean == doctest::Approx(0 + 1).epsilon(0.02));  // half of the choices add 2
    CHECK(of_x[9].mean == doctest::Approx(1 + 1).epsilon(0.02));
    REQUIRE(of_kind.size() == 2);
    CHECK(of_kind[1].mean - of_kind[0].mean == doctest::Approx(2).epsilon(0.02));
}

TEST_CASE("the marginal of a pair has both parameters") {
    const auto samples = samples_of([](int trial) -> Sample {
        const double x = place(trial, 0), kind = choice(trial, 1, 2);
        return {{x, kind, place(trial, 2)}, (x > 0.5 ? 1 : 0) * kind};
    });
    const RegressionForest forest({{0}, {2}, {0}}, samples);

    const auto means = pair_marginal(forest, 0, 1, 4);

    REQUIRE(means.size() == 4);
    REQUIRE(means[0].size() == 2);
    CHECK(std::abs(means[0][1]) < 0.05);
    CHECK(std::abs(means[3][0]) < 0.05);
    CHECK(means[3][1] == doctest::Approx(1).epsilon(0.05));
}

TEST_CASE("importances of values far from 0 depend only on their differences") {
    const auto forest_of = [](double offset, double scale) {
        const auto samples = samples_of([&](int trial) -> Sample {
            const double a = place(trial, 0), b = place(trial, 1), c = place(trial, 2);
            return {{a, b, c}, offset + scale * (4 * a + 2 * b * b + 0.2 * c)};
        });
        return RegressionForest({{0}, {0}, {0}}, samples);
    };

    CHECK(distance(importances(forest_of(-1e6, 1e-3)), {0.794, 0.179, 0.001}) < 0.05);  // an energy, say
    for (const auto& share : importances(forest_of(0, 1e160))) {                        // whose squares are infinite
        CHECK(share.mean == 0);
    }
}

TEST_CASE("nothing is important if all values are equal") {
    const std::vector<Sample> samples{{{0.1}, 1}, {{0.9}, 1}};
    const RegressionForest forest({{0}}, samples);

    CHECK(importances(forest).at(0).mean == 0);
    CHECK(importances(forest).at(0).deviation == 0);
}
