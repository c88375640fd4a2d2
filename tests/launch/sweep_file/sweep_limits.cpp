#include "launch/sweep_file/sweep_limits.hpp"

#include <doctest/doctest.h>

#include <chrono>

#include "tests/launch/sweep_file/remark_on.hpp"
#include "tests/launch/sweep_file/sound_sweep.hpp"

using namespace crescendo;
using namespace crescendo::launch;
using namespace crescendo::tests;

TEST_CASE("warm trainers may be silent for five minutes and other programs forever, unless the file sets a limit") {
    CHECK_FALSE(parse().supervision.hang_timeout.has_value());
    CHECK(parse("trainer: {model: cnn}\n").supervision.hang_timeout == std::chrono::minutes(5));
    CHECK_FALSE(parse("trainer: {model: cnn}\nhang_timeout: off\n").supervision.hang_timeout.has_value());
    CHECK(parse("command: [./train]\nhang_timeout: 1h\n").supervision.hang_timeout == std::chrono::hours(1));
    CHECK(parse("command: [./train]\ngrow: in_place\n").supervision.hang_timeout == std::chrono::minutes(5));
}

TEST_CASE("the time budget is a duration or a clock time, even without quotes") {
    CHECK(parse("budget: {time: 1h30m}\n").time_budget == std::chrono::minutes(90));
    CHECK(parse("budget: {time: 08:00:00}\n").time_budget == std::chrono::hours(8));
}

TEST_CASE("a trial may have its own end") {
    const auto end = parse("trial: {target: 0.93, time: 1m30s}\n").spec.trial_end;

    CHECK(end.target == 0.93);
    CHECK(end.seconds == 90);
    CHECK_FALSE(parse().spec.trial_end.target.has_value());
    CHECK_FALSE(parse().spec.trial_end.seconds.has_value());
}

TEST_CASE("the limit for a silent worker has a minimum and needs a unit") {
    CHECK(error_in(sound + "hang_timeout: 1s\n") ==
          "sweep.yaml:10:1: hang_timeout: \"1s\" is not a time limit for a silent worker (5s is the minimum); write it "
          "like 5m, 90s or 1h, or off");
    CHECK(error_in(sound + "hang_timeout: 60\n").find("60 is not a time limit") != std::string::npos);
}

TEST_CASE("a remark says if patience with trials may end a sweep at a rung that judges its trials together") {
    const auto note = [](const std::string& type, int patience) {
        const auto text = sound_with("type: asha", type) + "patience: {trials: " + std::to_string(patience) + "}\n";
        return remark_on(parse_sweep(text, "sweep.yaml"), "patience.trials");
    };

    CHECK(note("type: successive_halving", 18) ==
          "is 18, but a rung of successive_halving can end 18 trials at once, which could end the sweep while the "
          "better ones still train; use 19 or more");
    CHECK(note("type: successive_halving", 19).empty());
    CHECK(note("type: hyperband", 18).ends_with("use 19 or more"));
    CHECK(note("type: hyperband", 19).empty());
    CHECK(note("type: asha", 1).empty());
}

TEST_CASE("a remark says if patience with trials hardly counts, because losing trials only pause") {
    const auto note = [](const std::string& type) {
        const auto text = sound_with("type: asha", type) + "patience: {trials: 5}\n";
        return remark_on(parse_sweep(text, "sweep.yaml"), "patience.trials");
    };

    CHECK(note("type: asha").empty());
    CHECK(note("type: asha\n  mode: promote") ==
          "counts trials that end, but with mode: promote, losing trials only pause, so few count and the sweep ends "
          "late; add a budget:, or use mode: stop");
    CHECK(note("type: pasha").ends_with("add a budget:, or use type: asha"));
    CHECK(remark_on(parse("patience: {resource: 5}\n"), "patience.trials").empty());
}

TEST_CASE("a time without a unit is refused") {
    check_errors({
        {sound + "budget: {time: 60}\n",
         "sweep.yaml:10:10: budget.time: 60 is not a duration; write it like 8h, 90m, 1h30m, 45s or 08:00:00"},
        {sound + "budget: {time: 0s}\n",
         "sweep.yaml:10:10: budget.time: \"0s\" is not a duration; write it like 8h, 90m, 1h30m, 45s or 08:00:00"},
    });
}

TEST_CASE("a trial's own end must be one that a trial can reach") {
    check_errors({
        {sound + "trial: {time: 90}\n",
         "sweep.yaml:10:9: trial.time: 90 is not a duration; write it like 8h, 90m, 1h30m, 45s or 08:00:00"},
        {sound + "trial:\n  target: .nan\n",
         "sweep.yaml:11:3: trial.target: target is nan (either no report or every report would meet it); use a finite "
         "number"},
        {sound + "trial: {target: 1, epochs: 3}\n",
         "sweep.yaml:10:20: trial.epochs: unknown key; trial has target and time"},
        {sound + "trial: 90s\n",
         "sweep.yaml:10:1: trial: '90s' is text; use a map, such as trial: {target: 0.93, time: 90s}"},
    });
}
