#include "simulator/training_times.hpp"

#include <doctest/doctest.h>

#include <algorithm>

using namespace crescendo;
using namespace crescendo::simulator;

namespace {

constexpr TrialId trial{0};
constexpr Resource epoch{1};

}  // namespace

TEST_CASE("each doubling of the workers doubles the speed except for the loss") {
    CHECK(speedup(1, 0.1) == 1);
    CHECK(speedup(2, 0.1) == doctest::Approx(1.8));
    CHECK(speedup(4, 0.1) == doctest::Approx(3.24));
    CHECK(speedup(3, 0.0) == doctest::Approx(3));
    CHECK(speedup(64, 0.5) == doctest::Approx(1));
}

TEST_CASE("the serial share and communication remain however many workers there are") {
    const TrainingTimes times({.epoch = 100, .spread = 0, .serial = 0.2, .loss_per_doubling = 0, .communication = 3},
                              1);

    CHECK(times.epoch(trial, epoch, 1) == doctest::Approx(100));
    CHECK(times.epoch(trial, epoch, 4) == doctest::Approx(20 + 80.0 / 4 + 2 * 3));
}

TEST_CASE("trials differ within the spread, and a trial is always the same") {
    const TrainingTimes times({.epoch = 60, .spread = 0.5}, 1);
    double least = 1e9;
    double most = 0;

    for (int i = 0; i < 1000; ++i) {
        const double seconds = times.epoch(TrialId{i}, epoch, 1);
        CHECK(seconds == times.epoch(TrialId{i}, Resource{7}, 1));
        least = std::min(least, seconds);
        most = std::max(most, seconds);
    }

    CHECK(least >= 40);
    CHECK(least < 41);
    CHECK(most <= 90);
    CHECK(most > 89);
}

TEST_CASE("the given share of epochs straggles and takes longer") {
    const TrainingTimes times({.epoch = 10, .spread = 0, .straggler_share = 0.25, .straggler_factor = 3}, 1);
    int straggling = 0;

    for (int i = 1; i <= 1000; ++i) {
        straggling += times.epoch(trial, Resource{i}, 1) == doctest::Approx(30) ? 1 : 0;
    }

    CHECK(straggling > 200);
    CHECK(straggling < 300);
}

TEST_CASE("recorded trials take their recorded times, and further trials start again with the first recording") {
    const SimulationSpec spec{.loss_per_doubling = 0, .start = 2, .regroup = 1};
    RecordedTimes first;
    first.epoch = 3;
    RecordedTimes second;
    second.epoch = 7;
    second.epoch_with = {{4, 32}};
    second.epochs = {{Resource{1}, 20, {1}}, {Resource{3}, 8, {1, 2}}};  // the last entry covers the epochs 2 and 3
    second.starts = {{Resource{1}, 5}};
    second.regroups = {{1, {0.5}}};
    second.first_steps = std::map<int, RecordedStart>{{0, {4, {0.25, 128, {}}}}};
    const TrainingTimes times(spec, 1, {first, second});

    CHECK(times.epoch(TrialId{1}, Resource{1}, 1) == 20);
    CHECK(times.epoch(TrialId{1}, Resource{2}, 2) == 4);
    CHECK(times.epoch(TrialId{1}, Resource{2}, 8) == 1);  // from the same epoch with other workers
    CHECK(times.epoch(TrialId{1}, Resource{2}, 4) == 8);  // from other epochs with four workers
    CHECK(times.epoch(TrialId{1}, Resource{4}, 1) == 7);
    CHECK(times.epoch(TrialId{2}, Resource{1}, 1) == 3);
    CHECK(times.start(TrialId{1}, Resource{1}) == 5);
    CHECK(times.start(TrialId{1}, Resource{2}) == 2);
    CHECK(times.start(TrialId{0}, Resource{1}) == 2);
    CHECK(times.regroup(TrialId{1}, 1)->seconds == 0.5);
    CHECK(times.regroup(TrialId{1}, 2) == nullptr);  // not measured
    const RecordedStart simulated{9, {}};
    CHECK(times.first_steps(TrialId{1}, 0, simulated)->told == 4);
    CHECK(times.first_steps(TrialId{1}, 0, simulated)->steps.seconds == 0.25);
    CHECK_FALSE(times.first_steps(TrialId{1}, 1, simulated));
    CHECK(times.first_steps(TrialId{0}, 0, simulated)->told == 9);  // not recorded
    CHECK(TrainingTimes(spec, 1).first_steps(TrialId{0}, 0, simulated)->told == 9);
}
