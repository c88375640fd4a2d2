#include "trainer/step/noise_scale.hpp"

#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <vector>

#include "core/random.hpp"

using crescendo::CounterRandom;
using namespace crescendo::trainer;

namespace {

/// The expected norms if |G|² is 3 and S is 40.
GradientNorms expected_norms(double samples, double part_samples) {
    return {.whole = 3 + 40 / samples,
            .samples = samples,
            .parts = GradientNorms::Parts{.mean = 3 + 40 / part_samples, .samples = part_samples}};
}

NoiseScale after(int count, const GradientNorms& norms) {
    NoiseScale scale;
    for (int i = 0; i < count; ++i) {
        scale.add(norms);
    }
    return scale;
}

constexpr std::size_t num_weights = 20;
using Vector = std::array<double, num_weights>;

double squared(const Vector& vector) {
    double sum = 0;
    for (const double each : vector) {
        sum += each * each;
    }
    return sum;
}

double normal(CounterRandom& random) {
    return std::sqrt(-2 * std::log(1 - random.uniform())) * std::cos(2 * M_PI * random.uniform());
}

/// The mean gradient of losses |w - x|²/2, where the x of a sample is normal with mean 0 and variance 1 in each
/// direction. So G is w, and S is num_weights.
Vector mean_gradient(const Vector& weights, int samples, CounterRandom& random) {
    Vector mean = weights;
    for (auto& each : mean) {
        each += normal(random) / std::sqrt(samples);
    }
    return mean;
}

/// The norms of one step whose samples are divided into `parts` equal parts.
GradientNorms measured(const Vector& weights, int samples, int parts, CounterRandom& random) {
    Vector whole{};
    double mean_of_norms = 0;
    for (int part = 0; part < parts; ++part) {
        const Vector gradient = mean_gradient(weights, samples / parts, random);
        mean_of_norms += squared(gradient) / parts;
        for (std::size_t i = 0; i < num_weights; ++i) {
            whole[i] += gradient[i] / parts;
        }
    }
    return {.whole = squared(whole),
            .samples = static_cast<double>(samples),
            .parts = GradientNorms::Parts{.mean = mean_of_norms, .samples = static_cast<double>(samples / parts)}};
}

MeasurementPlan plan(const std::vector<std::int64_t>& slices, std::int64_t micro_batch) {
    return plan_measurement(slices, micro_batch);
}

}  // namespace

TEST_CASE("every 16th step is measured, but only every 80th step of a single worker with one micro-batch") {
    const auto measured = [](const std::vector<std::int64_t>& slices) {
        std::vector<std::int64_t> steps;
        for (std::int64_t step = 1; step <= 160; ++step) {
            if (is_measured(step, slices, /*micro_batch=*/64)) {
                steps.push_back(step);
            }
        }
        return steps;
    };
    CHECK(measured(/*slices=*/{64, 64}).size() == 10);
    CHECK(measured({64, 0}).front() == 16);
    CHECK(measured({128}) == measured({64, 64}));  // two micro-batches
    CHECK(measured({64}) == std::vector<std::int64_t>{80, 160});
}

TEST_CASE("a step is measured by the micro-batches of all members") {
    CHECK(plan(/*slices=*/{32, 32}, /*micro_batch=*/32) ==
          MeasurementPlan{true, MeasuredParts{.count = 2, .samples = 64}});
    CHECK(plan({64}, 32) == MeasurementPlan{true, MeasuredParts{.count = 2, .samples = 64}});
    CHECK(plan({32, 32}, 16) == MeasurementPlan{true, MeasuredParts{.count = 4, .samples = 64}});
}

TEST_CASE("a measured step of a single worker with one micro-batch is cut in two") {
    const auto micro_batch = [](const std::vector<std::int64_t>& slices) {
        return measurable_micro_batch(slices, /*micro_batch=*/64);
    };
    CHECK(micro_batch(/*slices=*/{64}) == 32);
    CHECK(micro_batch({5}) == 3);
    CHECK(micro_batch({128}) == 64);     // there are already two
    CHECK(micro_batch({64, 64}) == 64);  // also in a group
    CHECK(micro_batch({64, 0}) == 64);
    CHECK(micro_batch({0}) == 64);
    CHECK(plan({64}, micro_batch({64})) == MeasurementPlan{true, MeasuredParts{.count = 2, .samples = 64}});
    CHECK(plan({1}, micro_batch({1})) == MeasurementPlan{true, {}});
}

TEST_CASE("if a single worker's step cannot be cut, a few of its samples are measured again") {
    CHECK(plan(/*slices=*/{64}, /*micro_batch=*/64) ==
          MeasurementPlan{true, MeasuredParts{.count = 1, .samples = 8, .extra = true}});
    CHECK(plan({3}, 64).parts->samples == 2);
    CHECK_FALSE(plan({2}, 64).parts.has_value());
    CHECK(plan({1}, 64) == MeasurementPlan{true, {}});     // there is no smaller part
    CHECK(plan({0, 1}, 64) == MeasurementPlan{true, {}});  // the other member has none
    CHECK(plan({0}, 64) == MeasurementPlan{});             // all samples were skipped
}

TEST_CASE("the norms of a step and its parts determine gradient, noise and their ratio") {
    // Two parts of one sample with the gradients (3, 0) and (1, 2); their mean is (2, 1).
    // S = (7 - 5) / (1/1 - 1/2) = 4, and |G|² = 5 - 4/2 = 3.
    const NoiseScale scale =
        after(8, {.whole = 5, .samples = 2, .parts = GradientNorms::Parts{.mean = (9 + 5) / 2.0, .samples = 1}});

    CHECK(scale.noise() == doctest::Approx(4));
    CHECK(scale.gradient() == doctest::Approx(3));
    CHECK(scale.value() == doctest::Approx(4.0 / 3.0));
}

TEST_CASE("there is no estimate with fewer than eight measurements of parts") {
    CHECK_FALSE(NoiseScale().value());
    CHECK_FALSE(after(7, expected_norms(64, 32)).value());
    CHECK(after(8, expected_norms(64, 32)).value());
    CHECK_FALSE(after(100, {.whole = 3, .samples = 64}).value());
}

TEST_CASE("steps without measured parts still improve the estimate of the gradient") {
    NoiseScale scale = after(8, expected_norms(64, 8));

    for (int i = 0; i < 1000; ++i) {
        scale.add({.whole = 5 + 40 / 64.0, .samples = 64});
    }

    CHECK(scale.noise() == doctest::Approx(40));
    CHECK(scale.gradient() == doctest::Approx(5).epsilon(0.001));
}

TEST_CASE("a growing batch does not change the estimate") {
    NoiseScale scale = after(50, expected_norms(64, 8));

    for (int i = 0; i < 20; ++i) {
        scale.add(expected_norms(256, 64));
    }

    CHECK(scale.value() == doctest::Approx(40.0 / 3.0));
}

TEST_CASE("the noise scale is the ratio of averages, not the average of ratios") {
    NoiseScale scale;
    for (int i = 0; i < 4000; ++i) {
        // |G|² alternates between 1 and 3, so it is 2 on average; the mean of 40/1 and 40/3 would be 26.7.
        const double gradient = i % 2 == 0 ? 1 : 3;
        scale.add({.whole = gradient + 40 / 64.0,
                   .samples = 64,
                   .parts = GradientNorms::Parts{.mean = gradient + 40 / 32.0, .samples = 32}});
    }

    CHECK(scale.value() == doctest::Approx(20).epsilon(0.01));
}

TEST_CASE("there is no noise scale if the noise hides the gradient, and it is never negative") {
    CHECK_FALSE(after(8, {.whole = 1, .samples = 64, .parts = GradientNorms::Parts{.mean = 3, .samples = 32}}).value());
    CHECK(after(8, {.whole = 3, .samples = 64, .parts = GradientNorms::Parts{.mean = 1, .samples = 32}}).value() == 0);
}

TEST_CASE("a step that diverged does not spoil the estimate") {
    NoiseScale scale = after(8, expected_norms(64, 32));
    const auto before = scale.value();

    scale.add({.whole = std::numeric_limits<double>::infinity(), .samples = 64});
    scale.add({.whole = std::nan(""), .samples = 64, .parts = GradientNorms::Parts{.mean = 1, .samples = 32}});

    CHECK(scale.value() == before);

    auto diverged_in_a_part = expected_norms(64, 32);
    diverged_in_a_part.parts->mean = std::numeric_limits<double>::infinity();
    scale.add(diverged_in_a_part);

    CHECK(scale.value() == doctest::Approx(*before));
}

TEST_CASE("members that measured different parts agree on the mean of their noise") {
    // Parts of 2 samples have squared norms of 10 and 16, their mean gradient 9: S = (13 - 9) / (1/2 - 1/4) = 16.
    std::array<NoiseScale, 2> members;
    for (int i = 0; i < 20; ++i) {
        members[0].add({.whole = 9, .samples = 4, .parts = GradientNorms::Parts{.mean = 10, .samples = 2}});
        members[1].add({.whole = 9, .samples = 4, .parts = GradientNorms::Parts{.mean = 16, .samples = 2}});
    }

    const double mean = (members[0].noise() + members[1].noise()) / 2;
    for (auto& member : members) {
        member.set_noise(mean);
    }

    CHECK(members[0].noise() == doctest::Approx(16));
    CHECK(members[0].value() == members[1].value());
    CHECK(members[0].value() == doctest::Approx(16.0 / 5.0));  // |G|² = 9 - 16/4
}

TEST_CASE("an estimate continues unchanged after a round trip through JSON") {
    NoiseScale scale = after(13, expected_norms(64, 16));
    scale.add(expected_norms(100, 10));
    scale.add({.whole = 5, .samples = 64});  // not measured in parts

    auto read = nlohmann::json::parse(nlohmann::json(scale).dump()).get<NoiseScale>();

    CHECK(read.value() == scale.value());
    read.add(expected_norms(7, 1));
    scale.add(expected_norms(7, 1));
    CHECK(read.value() == scale.value());
    CHECK(nlohmann::json(read) == nlohmann::json(scale));
}

TEST_CASE("on a quadratic the estimate matches the known noise scale with any batch and number of parts") {
    Vector weights{};
    weights.fill(0.3);  // |G|² = 20 · 0.09 = 1.8 and S = 20, so the noise scale is 11.1
    for (const auto& [samples, parts] : {std::pair{8, 2}, {16, 4}, {32, 2}}) {
        CAPTURE(samples);
        CounterRandom random(/*seed=*/1, /*stream=*/static_cast<std::uint64_t>(samples));
        NoiseScale scale;
        for (int step = 0; step < 1000; ++step) {
            scale.add(measured(weights, samples, parts, random));
        }
        REQUIRE(scale.value());
        CHECK(*scale.value() == doctest::Approx(20 / 1.8).epsilon(0.2));
    }
}
