#include "scheduler/samplers/gaussian_process.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "core/random.hpp"

using namespace crescendo;
using doctest::Approx;

namespace {

const std::vector<Axis> two_axes(2);

struct Sampled {
    GaussianProcess::Points points;
    std::vector<double> values;
};

/// sin(6 x) + y at random points.
Sampled sampled(int count) {
    CounterRandom random(1, 0);
    Sampled result;
    for (int i = 0; i < count; ++i) {
        const double x = random.uniform();
        const double y = random.uniform();
        result.points.insert(result.points.end(), {x, y});
        result.values.push_back(std::sin(6 * x) + y - 0.5);
    }
    return result;
}

double kernel(double dx, double dy, const GaussianProcess::Settings& settings) {
    const double r = std::hypot(dx / settings.lengths[0], dy / settings.lengths[1]);
    return settings.variance * (1 + std::sqrt(5.0) * r + 5 * r * r / 3) * std::exp(-std::sqrt(5.0) * r);
}

}  // namespace

TEST_CASE("the belief after two values matches the formulas for two values") {
    const GaussianProcess::Settings settings{{0.3, 0.6}, 1.5, 0.01};
    const GaussianProcess model(two_axes, {0.2, 0.2, 0.5, 0.8}, {1.0, -0.5}, {}, settings);
    const double at[] = {0.4, 0.3};

    const double c = kernel(0.3, 0.6, settings);
    const double a = kernel(0.2, 0.1, settings);
    const double b = kernel(0.1, 0.5, settings);
    const double d = 1.51;
    const double det = d * d - c * c;
    const auto [mean, deviation] = model.at(at);

    CHECK(mean == Approx((a * (d * 1.0 + c * 0.5) + b * (-c * 1.0 - d * 0.5)) / det).epsilon(1e-12));
    CHECK(deviation == Approx(std::sqrt(1.5 - (a * (d * a - c * b) + b * (d * b - c * a)) / det)).epsilon(1e-12));
    const double first[] = {0.2, 0.2};
    CHECK(model.mean_at(0) == Approx(model.at(first).mean).epsilon(1e-12));
}

TEST_CASE("a pending point lowers the deviation around it but changes no mean") {
    const auto [points, values] = sampled(12);
    const GaussianProcess::Settings settings{{0.3, 0.6}, 1, 0.01};
    const GaussianProcess before(two_axes, points, values, {}, settings);
    const GaussianProcess after(two_axes, points, values, {0.95, 0.05}, settings);
    // As if the mean had been seen there.
    auto more_points = points;
    auto more_values = values;
    const double pending[] = {0.95, 0.05};
    more_points.insert(more_points.end(), {0.95, 0.05});
    more_values.push_back(before.at(pending).mean);
    const GaussianProcess believer(two_axes, more_points, more_values, {}, settings);

    for (const double x : {0.1, 0.5, 0.9}) {
        const double at[] = {x, 0.1};
        CHECK(after.at(at).mean == Approx(before.at(at).mean).epsilon(1e-10));
        CHECK(after.at(at).mean == Approx(believer.at(at).mean).epsilon(1e-10));
        CHECK(after.at(at).deviation == Approx(believer.at(at).deviation).epsilon(1e-10));
    }
    CHECK(after.at(pending).deviation < before.at(pending).deviation / 2);
}

TEST_CASE("the slope of the belief matches finite differences, and is 0 for categories and absent coordinates") {
    auto [points, values] = sampled(15);
    const std::vector<Axis> axes = {{}, {}, {.is_categorical = true, .cell = 0.25}, {}};
    GaussianProcess::Points in_four;
    for (std::size_t i = 0; i < values.size(); ++i) {
        in_four.insert(in_four.end(),
                       {points[2 * i], points[2 * i + 1], i % 2 == 0 ? 0.125 : 0.625, i % 3 == 0 ? -1 : 0.5});
    }
    const GaussianProcess::Settings settings{{0.3, 0.6, 1, 0.5}, 1.5, 0.02};
    const GaussianProcess model(axes, in_four, values, {0.7, 0.7, 0.125, 0.2}, settings);
    for (const double last : {0.4, -1.0}) {
        const std::vector<double> at = {0.35, 0.8, 0.125, last};

        const auto slope = model.slope_at(at);

        CHECK(slope.belief.mean == model.at(at).mean);
        CHECK(slope.belief.deviation == model.at(at).deviation);
        for (const std::size_t axis : {0, 1, 3}) {
            if (at[axis] < 0) {
                continue;
            }
            const auto shifted = [&](double by) {
                auto other = at;
                other[axis] += by;
                return model.at(other);
            };
            const auto right = shifted(1e-5);
            const auto left = shifted(-1e-5);
            CHECK(slope.mean[axis] == Approx((right.mean - left.mean) / 2e-5).epsilon(1e-5));
            CHECK(slope.deviation[axis] == Approx((right.deviation - left.deviation) / 2e-5).epsilon(1e-5));
        }
        CHECK(slope.mean[2] == 0);
        CHECK(slope.deviation[2] == 0);
        CHECK((slope.mean[3] == 0) == (last < 0));
    }
}

TEST_CASE("the gradient of the evidence matches finite differences") {
    auto [points, values] = sampled(15);
    points[4] = -1;  // absent
    std::vector<Axis> axes = two_axes;
    axes[1] = {.is_categorical = true, .cell = 0.25};
    const GaussianProcess::Settings settings{{0.3, 0.9}, 1.5, 0.02};

    const auto exact = GaussianProcess::evidence(axes, points, values, settings);

    for (std::size_t i = 0; i < 4; ++i) {
        const auto shifted = [&](double by) {
            auto other = settings;
            (i < 2 ? other.lengths[i] : i == 2 ? other.variance : other.noise) *= std::exp(by);
            return GaussianProcess::evidence(axes, points, values, other).value;
        };
        CHECK(exact.gradient[i] == Approx((shifted(1e-5) - shifted(-1e-5)) / 2e-5).epsilon(1e-5));
    }
}

TEST_CASE("the fitted settings are a maximum and separate axes that matter from axes that do not") {
    auto [points, values] = sampled(40);
    CounterRandom random(2, 0);
    for (std::size_t i = 0; i < values.size(); ++i) {
        values[i] = 1.4 * std::sin(6 * points[2 * i]) + 0.3 * (random.uniform() - 0.5);
    }

    const auto settings = GaussianProcess::fit(two_axes, points, values);

    const auto found = GaussianProcess::evidence(two_axes, points, values, settings);
    for (const double slope : found.gradient) {
        CHECK(std::abs(slope) < 0.1);
    }
    CHECK(settings.lengths[1] > 4 * settings.lengths[0]);
    CHECK(settings.noise > 0.001);
    CHECK(settings.noise < 0.05);
}

TEST_CASE("with few results in many dimensions, no axis seems irrelevant if all of them matter") {
    const std::vector<Axis> axes(20);
    CounterRandom random(1, 0);
    GaussianProcess::Points points;
    std::vector<double> values;
    for (int i = 0; i < 30; ++i) {
        double sum = 0;
        for (std::size_t axis = 0; axis < axes.size(); ++axis) {
            points.push_back(random.uniform());
            sum += (points.back() - 0.85) * (points.back() - 0.85);
        }
        values.push_back(sum - 4);  // around 0, with a variance of about 1
    }

    const auto [shortest, longest] = std::ranges::minmax(GaussianProcess::fit(axes, points, values).lengths);

    CHECK(longest < 5 * shortest);
}

TEST_CASE("a model follows exact values but not noisy ones") {
    auto [points, exact] = sampled(40);
    CounterRandom random(2, 0);
    auto noisy = exact;
    for (double& value : noisy) {
        value += random.uniform() - 0.5;  // a variance of 1/12
    }

    const auto of_exact = GaussianProcess::fit(two_axes, points, exact);
    const auto of_noisy = GaussianProcess::fit(two_axes, points, noisy);

    CHECK(of_exact.noise < 1e-5);
    CHECK(of_noisy.noise > 0.03);
    CHECK(of_noisy.noise < 0.2);
    const GaussianProcess model(two_axes, points, exact, {}, of_exact);
    CHECK(std::abs(model.mean_at(0) - exact[0]) < 1e-4);
}

TEST_CASE("the variance of the function is learnt") {
    auto [points, values] = sampled(40);
    const auto usual = GaussianProcess::fit(two_axes, points, values);
    for (double& value : values) {
        value /= 10;
    }

    const auto small = GaussianProcess::fit(two_axes, points, values);

    CHECK(small.variance < usual.variance / 10);  // a hundredth, apart from the prior
}

TEST_CASE("a category resembles only itself, and an absent coordinate only other absent ones") {
    const std::vector<Axis> axes{{.is_categorical = true, .cell = 0.25}};
    const GaussianProcess model(axes, {0.02, -1}, {1.0, -1.0}, {}, {{0.5}, 1, 1e-4});
    const auto mean = [&](double at) { return model.at(std::span(&at, 1)).mean; };

    CHECK(mean(0.02) == Approx(1.0).epsilon(0.01));  // the same
    CHECK(mean(0.07) == Approx(mean(0.55)));         // others: near ones are no more alike
    CHECK(mean(0.07) < 0.9);
    CHECK(mean(-0.5) == Approx(-1.0).epsilon(0.01));
}

TEST_CASE("identical points with identical values give a finite belief") {
    const GaussianProcess::Points alike(60, 0.5);
    const std::vector<double> zeros(30);
    const auto settings = GaussianProcess::fit(two_axes, alike, zeros);
    const GaussianProcess model(two_axes, alike, zeros, alike, settings);
    const double at[] = {0.5, 0.1};

    CHECK(std::isfinite(model.at(at).mean));
    CHECK(model.at(at).deviation > 0);
}
