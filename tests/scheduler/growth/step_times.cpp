#include "scheduler/growth/step_times.hpp"

#include <doctest/doctest.h>

#include "core/random.hpp"

using namespace crescendo;

namespace {

constexpr double batch = 128;

/// The trial takes `alone` seconds for a step on one worker, and `together` seconds on two.
void measure(StepTimes& times, int trial, double alone, double together) {
    times.note(TrialId{trial}, {1, batch}, alone);
    times.note(TrialId{trial}, {2, batch}, together);
}

}  // namespace

TEST_CASE("the speed-up of growing is unknown before any trial has grown") {
    StepTimes times;
    CHECK_FALSE(times.speedup(TrialId{0}, {1, batch}, {2, batch}).has_value());
    times.note(TrialId{0}, {1, batch}, 1.0);

    CHECK_FALSE(times.speedup(TrialId{0}, {1, batch}, {2, batch}).has_value());
    CHECK_FALSE(times.measured_speedup(TrialId{0}).has_value());
}

TEST_CASE("the speed-up that one trial measured applies to others of its shape, scaled by their own times") {
    StepTimes times;
    measure(times, 0, 1.0, 0.5);
    times.note(TrialId{1}, {1, batch}, 1.5);

    CHECK(times.speedup(TrialId{1}, {1, batch}, {2, batch})->ratio == doctest::Approx(2.0));
    CHECK(times.seconds(TrialId{1}, {2, batch}) == doctest::Approx(0.75));
    CHECK(times.speedup(TrialId{1}, {1, batch}, {2, batch})->is_gain());
}

TEST_CASE("trials whose first steps take more than twice as long have another shape") {
    StepTimes times;
    measure(times, 0, 1.0, 1.0);
    times.note(TrialId{1}, {1, batch}, 2.5);

    CHECK_FALSE(times.speedup(TrialId{0}, {1, batch}, {2, batch})->is_gain());
    CHECK_FALSE(times.speedup(TrialId{1}, {1, batch}, {2, batch}).has_value());
}

TEST_CASE("trials whose first steps lie on both sides of a power of two have the same shape") {
    StepTimes times;
    measure(times, 0, 0.49, 0.49);
    times.note(TrialId{1}, {1, batch}, 0.51);

    CHECK(times.speedup(TrialId{1}, {1, batch}, {2, batch}).has_value());
}

TEST_CASE("a trial that fits two shapes has the nearer one") {
    StepTimes times;
    measure(times, 0, 1.0, 1.0);
    measure(times, 1, 3.0, 1.5);
    times.note(TrialId{2}, {1, batch}, 1.9);

    CHECK(times.speedup(TrialId{2}, {1, batch}, {2, batch})->is_gain());
}

TEST_CASE("a trial's own times, once they are repeated, count more than those of others") {
    StepTimes times;
    for (int other = 1; other <= 9; ++other) {
        measure(times, other, 1.0, 1.0);
    }
    measure(times, 0, 1.0, 0.5);
    measure(times, 0, 1.0, 0.5);

    CHECK(times.speedup(TrialId{0}, {1, batch}, {2, batch})->ratio == doctest::Approx(2.0));
}

TEST_CASE("a straggling step changes nothing once there are other steps") {
    StepTimes times;
    measure(times, 0, 1.0, 0.5);
    measure(times, 0, 1.0, 1.5);
    measure(times, 0, 1.0, 0.5);

    CHECK(times.speedup(TrialId{0}, {1, batch}, {2, batch})->ratio == doctest::Approx(2.0));
}

TEST_CASE("samples count: a batch twice as large in the same time is twice as fast") {
    StepTimes times;
    times.note(TrialId{0}, {1, batch}, 1.0);
    times.note(TrialId{0}, {2, 2 * batch}, 1.0);

    CHECK(times.speedup(TrialId{0}, {1, batch}, {2, 2 * batch})->ratio == doctest::Approx(2.0));
    CHECK(times.measured_speedup(TrialId{0}) == doctest::Approx(2.0));
}

TEST_CASE("a prediction beyond the measured workers has a larger error than a measurement") {
    StepTimes times;
    measure(times, 0, 1.0, 0.55);

    const auto measured = times.speedup(TrialId{0}, {1, batch}, {2, batch});
    const auto predicted = times.speedup(TrialId{0}, {2, batch}, {4, batch});

    CHECK(measured->is_measured);
    CHECK_FALSE(predicted->is_measured);
    CHECK(predicted->error > measured->error);
    CHECK(predicted->ratio > 1.4);
    CHECK(predicted->ratio < 2.0);
}

TEST_CASE("the error shrinks as more trials measure a size") {
    StepTimes times;
    measure(times, 0, 1.0, 0.55);
    const auto one = times.speedup(TrialId{0}, {1, batch}, {2, batch});
    for (int other = 1; other < 9; ++other) {
        measure(times, other, 1.0, 0.55);
    }

    CHECK(times.speedup(TrialId{0}, {1, batch}, {2, batch})->error < one->error / 2);
}

TEST_CASE("the measured speed-up of a trial compares its largest group with its first") {
    StepTimes times;
    measure(times, 0, 1.0, 0.5);
    times.note(TrialId{0}, {4, batch}, 0.4);

    CHECK(times.measured_speedup(TrialId{0}) == doctest::Approx(2.5));
}

TEST_CASE("a measured doubling that is faster counts as a gain even if times vary by 3 percent") {
    for (std::uint64_t seed = 0; seed < 2000; ++seed) {
        CAPTURE(seed);
        CounterRandom random{seed, 0};
        const double speedup = 1.0 + random.uniform();
        const auto vary = [&] { return 1.0 + 0.03 * (2.0 * random.uniform() - 1.0); };
        StepTimes times;
        for (int trial = 0; trial < 9; ++trial) {
            measure(times, trial, vary(), vary() / speedup);
        }

        const auto measured = times.speedup(TrialId{0}, {1, batch}, {2, batch});

        REQUIRE(measured->ratio == doctest::Approx(speedup).epsilon(0.06));
        if (speedup > 1.15) {
            REQUIRE(measured->is_gain());
        }
    }
}

TEST_CASE("the measured numbers of workers of a shape are listed once each, widest first") {
    StepTimes times;
    CHECK(times.narrower(TrialId{0}, 8).empty());
    measure(times, 0, 1.0, 0.5);
    times.note(TrialId{0}, {2, 2 * batch}, 1.0);
    times.note(TrialId{1}, {1, batch}, 1.0);
    times.note(TrialId{1}, {8, batch}, 0.2);
    times.note(TrialId{2}, {1, batch}, 100.0);  // of another shape
    times.note(TrialId{2}, {4, batch}, 30.0);

    CHECK(times.narrower(TrialId{0}, 9) == std::vector{8, 2, 1});
    CHECK(times.narrower(TrialId{0}, 8) == std::vector{2, 1});
    CHECK(times.narrower(TrialId{0}, 1).empty());
}

TEST_CASE("times that scatter promise a gain with a larger error") {
    const auto error_of = [](double least, double most) {
        StepTimes times;
        for (int trial = 0; trial < 9; ++trial) {
            times.note(TrialId{trial}, {1, batch}, 1.0);
            times.note(TrialId{trial}, {2, batch}, trial % 2 == 0 ? least : most);
        }
        return times.speedup(TrialId{0}, {1, batch}, {2, batch})->error;
    };

    CHECK(error_of(0.5, 0.9) > 2 * error_of(0.5, 0.5));
}
