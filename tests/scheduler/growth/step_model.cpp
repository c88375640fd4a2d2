#include "scheduler/growth/step_model.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "core/random.hpp"

using namespace crescendo;

namespace {

double relative_error(double predicted, double actual) { return std::abs(predicted / actual - 1.0); }

std::vector<StepTime> times_of(const StepModel& model, const std::vector<int>& widths, double batch) {
    std::vector<StepTime> times;
    for (const int workers : widths) {
        times.push_back({{workers, batch}, model.seconds({workers, batch}), static_cast<double>(workers)});
    }
    return times;
}

}  // namespace

TEST_CASE(
    "a step takes a fixed time, its share of the batch, and the part of the exchange that compute does not hide") {
    const StepModel plain{/*fixed=*/1, /*per_sample=*/0.5, /*exchange=*/2, /*overlap=*/0};
    const StepModel overlapped{1, 0.5, 2, 1};

    CHECK(plain.seconds({1, 16}) == 9.0);       // 1 + 8
    CHECK(plain.seconds({4, 16}) == 7.0);       // 1 + 2 + 2 * 2
    CHECK(overlapped.seconds({4, 16}) == 5.0);  // of the exchange of 4, compute hides 2
    CHECK(overlapped.seconds({2, 16}) == 5.0);  // all of it: 1 + 4
}

TEST_CASE("doublings are the base-2 logarithm at powers of two, and linear between them") {
    CHECK(doublings(1) == 0.0);
    CHECK(doublings(2) == 1.0);
    CHECK(doublings(3) == 1.5);
    CHECK(doublings(4) == 2.0);
    CHECK(doublings(1 << 20) == 20.0);
}

TEST_CASE("with times of one worker only, twice the workers are predicted to be twice as fast") {
    const auto model = StepModel::fit({{{1, 128}, 0.5}});

    CHECK(model.seconds({1, 128}) == doctest::Approx(0.5));
    CHECK(model.seconds({2, 128}) == doctest::Approx(0.25));
    CHECK(model.seconds({2, 256}) == doctest::Approx(0.5));
}

TEST_CASE("if two workers gain nothing, more workers are predicted to gain nothing either") {
    const auto model = StepModel::fit({{{1, 1}, 1.0, 1}, {{2, 1}, 1.0, 2}});

    CHECK(model.seconds({4, 1}) >= 1.0);
    CHECK(model.seconds({64, 1}) >= 1.0);
}

TEST_CASE("nine of ten predictions for an unseen width are within 15 percent if a quarter of a step does not shrink") {
    // The model is fitted to widths 1, 2 and 4, with errors of up to 3 %, and predicts width 8.
    int num_wrong = 0;
    for (std::uint64_t seed = 0; seed < 2000; ++seed) {
        CounterRandom random{seed, 0};
        const StepModel truth{0.15 * random.uniform(), 0.5 + random.uniform(), 0.05 * random.uniform(), 0};
        auto times = times_of(truth, {1, 2, 4}, 1);
        for (auto& time : times) {
            time.seconds *= 1.0 + 0.03 * (2.0 * random.uniform() - 1.0);
        }

        const auto model = StepModel::fit(times);

        num_wrong += relative_error(model.seconds({8, 1}), truth.seconds({8, 1})) > 0.15 ? 1 : 0;
    }
    CHECK(num_wrong < 200);
}

TEST_CASE("the fit finds a model that explains all times, whatever their unit") {
    for (std::uint64_t seed = 0; seed < 500; ++seed) {
        CAPTURE(seed);
        CounterRandom random{seed, 0};
        const double unit = 1.0 + 1000.0 * random.uniform();
        const StepModel truth{0.2 * unit * random.uniform(), unit * (0.5 + random.uniform()) / 64,
                              0.1 * unit * random.uniform(), 0};

        const auto model = StepModel::fit(times_of(truth, {1, 2, 4, 8, 16}, 64));

        for (const int workers : {1, 2, 4, 8, 16}) {
            REQUIRE(model.seconds({workers, 64}) == doctest::Approx(truth.seconds({workers, 64})).epsilon(0.05));
        }
        REQUIRE(std::min({model.fixed, model.per_sample, model.exchange}) >= 0);
    }
}

TEST_CASE("the fit finds how much of the exchange is hidden by compute") {
    for (const double overlap : {0.5, 1.0}) {
        CAPTURE(overlap);
        const StepModel truth{/*fixed=*/0.1, /*per_sample=*/1, /*exchange=*/0.3, overlap};

        const auto model = StepModel::fit(times_of(truth, {1, 2, 4, 8, 16}, /*batch=*/1));

        CHECK(model.overlap == overlap);
        for (const int workers : {1, 2, 4, 8, 16, 32}) {
            CAPTURE(workers);
            CHECK(model.seconds({workers, 1}) == doctest::Approx(truth.seconds({workers, 1})).epsilon(0.05));
        }
    }
}

TEST_CASE("a fit ends, whatever the times") {
    for (const double tiny : {1e-320, 1e-200, 1e300}) {
        StepModel::fit({{{1, 1}, tiny}, {{2, 1}, 1}, {{4, 1}, 1}});
        StepModel::fit({{{1, tiny}, 1}, {{2, 1}, 1}, {{4, 1}, 1}});
    }
}
