#include "simulator/fit.hpp"

#include <doctest/doctest.h>

using namespace crescendo;
using namespace crescendo::simulator;

namespace {

/// Reports of one group at these intervals. How much of the first interval is the start is unknown.
RecordedTrial alone(const std::vector<double>& seconds) {
    RecordedTrial trial;
    for (const double each : seconds) {
        const auto start = trial.intervals.empty() ? std::nullopt : std::optional(0.0);
        trial.intervals.push_back({Resource{static_cast<int>(trial.intervals.size()) + 1}, {{each, 1}}, start});
    }
    return trial;
}

/// Seconds of the trial's epoch that ends at `resource`, with one worker.
double seconds_of_epoch(const FittedTimes& fitted, std::size_t trial, int resource) {
    return fitted.trials[trial].alone(Resource{resource}, 1);
}

}  // namespace

TEST_CASE("epochs and starts are told apart") {
    // A start of 3 s; the second trial's last report is after two epochs, the third has one report only, the last none.
    auto second = alone({13, 10});
    second.intervals.push_back({Resource{4}, {{24, 1}}, 0.0});

    const auto fitted = fit({alone({23, 20}), second, alone({15}), {}});

    CHECK(fitted.start == doctest::Approx(2.5));  // the median of 23 - 20 and of 13 - 11
    CHECK_FALSE(fitted.loss_per_doubling);
    CHECK(seconds_of_epoch(fitted, 0, 1) == doctest::Approx(20.5));
    CHECK(seconds_of_epoch(fitted, 1, 4) == doctest::Approx(12));
    CHECK(seconds_of_epoch(fitted, 2, 1) == doctest::Approx(12.5));
    CHECK(seconds_of_epoch(fitted, 3, 1) == doctest::Approx(12.5));  // the median of 20, 11 and 12.5
}

TEST_CASE("measured epochs are kept, and other epochs take the median of the trial") {
    const auto fitted = fit({alone({10, 4, 6, 20})});

    CHECK(seconds_of_epoch(fitted, 0, 2) == 4);
    CHECK(seconds_of_epoch(fitted, 0, 4) == 20);
    CHECK(seconds_of_epoch(fitted, 0, 5) == 6);
}

TEST_CASE("a start that the trainer measured is kept, and no start is longer than the time to the first report") {
    const auto fitted = fit({{{{Resource{1}, {{13, 1}}, 8.0}, {Resource{2}, {{6, 1}}, 0.0}}, {}}, alone({2})});

    CHECK(fitted.start == 8);
    CHECK(fitted.trials[0].starts.at(Resource{1}) == 8);
    CHECK(seconds_of_epoch(fitted, 0, 1) == 5);
    CHECK(fitted.trials[1].starts.at(Resource{1}) == 2);
}

TEST_CASE("the loss per doubling comes from trials that grew") {
    // 10 s alone; four workers take 10 / (4 * 0.9 * 0.9).
    const double four = 10 / 3.24;
    auto trial = alone({10, 10});
    trial.intervals.push_back({Resource{3}, {{four, 4}}, 0.0});
    trial.intervals.push_back({Resource{5}, {{2 * four, 4}}, 0.0});

    const auto fitted = fit({trial});

    CHECK(*fitted.loss_per_doubling == doctest::Approx(0.1));
    CHECK(seconds_of_epoch(fitted, 0, 5) == doctest::Approx(10));
}

TEST_CASE("an epoch in which a group grew counts the work of both sizes") {
    // Without a loss: 4 s alone and 3 s with two workers are 10 s alone.
    const auto fitted = fit({{{{Resource{1}, {{10, 1}}, 0.0}, {Resource{2}, {{4, 1}, {3, 2}}, 0.0}}, {{1, {0.5}}}}});

    CHECK(seconds_of_epoch(fitted, 0, 2) == doctest::Approx(10));
    CHECK(fitted.trials[0].epochs[1].workers == std::vector{1, 2});
    CHECK(fitted.trials[0].regroups.at(1).seconds == 0.5);
}

TEST_CASE("the loss per doubling stays below 1 even if two workers are much slower than one") {
    auto trial = alone({10, 10});
    trial.intervals.push_back({Resource{3}, {{500, 2}}, 0.0});

    CHECK(*fit({trial}).loss_per_doubling == doctest::Approx(0.95));
}

TEST_CASE("epochs that take no time on a coarse clock still give a loss") {
    RecordedTrial trial;
    trial.intervals = {{Resource{1}, {{2, 1}}, 2.0}, {Resource{2}, {{0, 2}}, 0.0}};  // a start of 2 s, and nothing else

    CHECK(*fit({trial}).loss_per_doubling == doctest::Approx(0.5));  // two workers are as fast as one
}

TEST_CASE("nothing is fitted without reports") {
    CHECK(fit({}).trials.empty());
    CHECK(fit({{}, {}}).trials.empty());
}
