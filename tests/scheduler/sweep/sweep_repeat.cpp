/// Configurations that several trials train.

#include <doctest/doctest.h>

#include "core/check.hpp"
#include "tests/scheduler/script.hpp"

using namespace crescendo;

namespace {

SweepSpec repeated(int run_cap, int max, Repeat repeat = {2, JudgedBy::mean}) {
    auto spec = spec_of(SchedulerKind::asha, run_cap, max);
    spec.space = SearchSpace({{"x", Uniform{0, 1}}});
    spec.repeat = repeat;
    return spec;
}

/// The actions of a short sweep. Its losses do not depend on the slots.
std::string without_repeat(SweepSpec spec) {
    Script script{std::move(spec)};
    std::string log = script.join(2);
    for (int resource = 1; resource <= 4; ++resource) {
        for (int trial = 0; trial < 2; ++trial) {
            log += script.report(trial, resource, 0.1 * trial + 0.5 / resource) + "\n";
        }
    }
    return log;
}

}  // namespace

TEST_CASE("the repetitions of a configuration start one after the other, before other configurations") {
    Script script{repeated(/*run_cap=*/2, /*max=*/4)};

    CHECK(script.join(3) == "start 0 on 0 g0 b1; start 1 on 1 g0 b1; start 2 on 2 g0 b1");

    CHECK(script.trial(3).status == TrialStatus::waiting);
    CHECK(script.trial(0).config == script.trial(1).config);
    CHECK(script.trial(2).config == script.trial(3).config);
    CHECK(script.trial(0).config != script.trial(2).config);
    CHECK(script.sweep.candidates().size() == 2);
}

TEST_CASE("a sweep with repeat has the same configurations as a sweep without it") {
    auto spec = repeated(3, 4);
    Script repeats{spec};
    spec.repeat = {};
    Script singles{spec};
    repeats.join(6);
    singles.join(3);

    for (int i = 0; i < 3; ++i) {
        CHECK(repeats.trial(2 * i).config == singles.trial(i).config);
    }
}

TEST_CASE("one slot is enough for any number of repetitions") {
    Script script{repeated(/*run_cap=*/1, /*max=*/2, {3, JudgedBy::mean})};

    CHECK(script.join(1) == "start 0 on 0 g0 b1");
    CHECK(script.report(0, 1, 0.5) == "pause 0; start 1 on 0 g0 b1");
    CHECK(script.report(1, 1, 0.5) == "pause 1; start 2 on 0 g0 b1");
    CHECK(script.report(2, 1, 0.5) == "");
    CHECK(script.report(2, 2, 0.4) == "stop 2 completed; resume 0 on 0 g1 b1");
    CHECK(script.report(0, 2, 0.3) == "stop 0 completed; resume 1 on 0 g1 b1");
    CHECK(script.report(1, 2, 0.2) == "stop 1 completed; drop 0; drop 2; finish all_trials_done best 1");
}

TEST_CASE("the repetitions of a configuration that loses stop together") {
    Script script{repeated(/*run_cap=*/2, /*max=*/2)};
    script.join(4);
    script.report(0, 1, 0.1);
    script.report(1, 1, 0.2);
    script.report(2, 1, 0.1);

    CHECK(script.report(3, 1, 0.9).starts_with("stop 3 judged"));

    CHECK(script.trial(2).reason == StopReason::judged);
    CHECK(script.trial(3).reason == StopReason::judged);
    CHECK(script.sweep.candidates()[1].reason == StopReason::judged);
    CHECK(script.sweep.candidates()[1].loss == doctest::Approx(0.5));
}

TEST_CASE("the best trial is the best repetition of the best configuration, not the luckiest of all") {
    Script script{repeated(/*run_cap=*/2, /*max=*/1)};
    script.join(4);
    script.report(0, 1, 0.1);
    script.report(1, 1, 0.9);
    script.report(2, 1, 0.4);

    CHECK(script.report(3, 1, 0.3) == "stop 3 completed; drop 2; drop 0; finish all_trials_done best 3");

    CHECK(script.sweep.candidates()[0].loss == doctest::Approx(0.5));
    CHECK(script.sweep.candidates()[1].loss == doctest::Approx(0.35));
}

TEST_CASE("stopping one repetition stops its siblings, even if they have not started") {
    Script script{repeated(/*run_cap=*/2, /*max=*/4, {3, JudgedBy::mean})};
    script.join(2);
    script.report(0, 1, 0.5);

    CHECK(script.stop(1) ==
          "stop 1 requested; stop 2 requested; drop 1; drop 2; start 3 on 0 g0 b1; start 4 on 1 g0 b1");

    for (int id = 0; id < 3; ++id) {
        CHECK(script.trial(id).reason == StopReason::requested);
    }
    CHECK(script.sweep.rungs()[0].size == 0);  // the configuration was not judged
    CHECK(script.stop(0) == "");
}

TEST_CASE(
    "a configuration can be stopped while one repetition waits at a rung and another waits for a slot to get there") {
    Script script{repeated(/*run_cap=*/2, /*max=*/4)};
    script.join(2);
    script.report(0, 1, 0.1);
    script.report(1, 1, 0.1);
    CHECK(script.report(2, 1, 0.05) == "pause 2; resume 0 on 0 g1 b1");
    CHECK(script.report(1, 2, 0.1) == "pause 1; start 3 on 1 g0 b1");
    script.report(0, 2, 0.1);
    CHECK(script.report(3, 1, 0.05) == "");  // the better of two: 3 continues, and 2 waits for a slot
    CHECK(script.report(3, 2, 0.9) == "pause 3; resume 1 on 1 g1 b1");

    CHECK(script.stop(2) == "drop 3");  // without 2, the worse one of two at the rung where 3 waits

    CHECK(script.trial(2).reason == StopReason::requested);
    CHECK(script.trial(3).reason == StopReason::requested);
    CHECK(script.sweep.candidates()[1].reason == StopReason::requested);
}

TEST_CASE("a repetition whose time is up ends alone") {
    Script script{repeated(1, 2)};
    script.join(2);
    script.report(0, 1, 0.5);

    script.apply(TrialTimeUp{TrialId{1}});

    CHECK(script.trial(1).reason == StopReason::timed_out);
    CHECK(script.trial(0).status == TrialStatus::running);  // judged alone, and promoted
}

TEST_CASE("siblings wait for a repetition that the user holds") {
    Script script{repeated(1, 2)};
    script.join(2);
    script.hold(1);

    CHECK(script.report(0, 1, 0.5) == "pause 0");
    CHECK(script.sweep.waits_for_release());
    CHECK(script.release(1) == "resume 1 on 0 g1 b1");
    CHECK(script.report(1, 1, 0.5) == "resume 0 on 1 g1 b1");
}

TEST_CASE("a repetition stops at its report if a held sibling has trained ahead to a rung that they lose") {
    Script script{repeated(/*run_cap=*/2, /*max=*/4)};
    script.join(4);
    for (const auto& [resource, loss] : {std::pair{1, 0.1}, {2, 0.05}}) {
        script.report(0, resource, loss);
        script.report(1, resource, loss);
    }
    CHECK(script.report(2, 3, 0.07) == "pause 2");  // past the rungs at 1 and 2
    script.hold(2);

    CHECK(script.report(3, 3, 0.07) == "stop 3 judged; drop 3");

    CHECK(script.trial(2).reason == StopReason::judged);
    CHECK(script.trial(3).reason == StopReason::judged);
}

TEST_CASE("a target is met by a configuration, not by one lucky repetition") {
    auto spec = repeated(2, 1);
    spec.target = 0.5;
    Script script{spec};
    script.join(2);

    CHECK(script.report(0, 1, 0.1) == "stop 0 completed; start 2 on 0 g0 b1");
    CHECK(script.report(1, 1, 0.2).ends_with("finish target_reached best 0"));
}

TEST_CASE("the patience of a sweep counts configurations") {
    auto spec = repeated(9, 1);
    spec.patience.trials = 1;
    Script script{spec};
    script.join(2);
    script.report(0, 1, 0.5);
    script.report(1, 1, 0.5);
    script.report(2, 1, 0.1);

    CHECK(script.sweep.state() == SweepState::running);
    CHECK(script.report(3, 1, 1.9).ends_with("finish no_progress best 0"));
}

TEST_CASE("run_cap counts configurations, even after it is raised") {
    Script script{repeated(1, 1)};
    script.join(2);
    script.report(0, 1, 0.5);
    script.report(1, 1, 0.5);
    REQUIRE(script.sweep.state() == SweepState::finished);

    CHECK(script.change_run_cap(2) == "start 2 on 0 g0 b1; start 3 on 1 g0 b1");
}

TEST_CASE("a proposal for a configuration names its first trial") {
    Script script{repeated(3, 1)};
    script.join(2);
    REQUIRE(script.sweep.first_unproposed() == TrialId{2});

    CHECK_THROWS_WITH_AS(script.apply(TrialProposed{TrialId{3}, {{"x", 0.25}}}),
                         doctest::Contains("repetition of trial 2"), InvalidInput);
    script.apply(TrialProposed{TrialId{2}, {{"x", 0.25}}});
    script.report(0, 1, 0.5);
    script.report(1, 1, 0.5);

    CHECK(script.trial(2).config == Config{{"x", 0.25}});
    CHECK(script.trial(3).config == Config{{"x", 0.25}});
    CHECK(script.trial(3).origin == Origin::enqueued);
}

TEST_CASE("a configuration that the journal has for one repetition applies to all") {
    Script script{repeated(1, 1)};
    script.join(1);

    script.apply(TrialProposed{TrialId{0}, {{"x", 0.25}}, Origin::random});

    CHECK(script.trial(1).config == Config{{"x", 0.25}});
    CHECK(script.sweep.candidates()[0].config == Config{{"x", 0.25}});
}

TEST_CASE("initial configurations are repeated like others") {
    auto spec = repeated(2, 1);
    spec.initial = {{{"x", 0.25}}};
    Script script{spec};
    script.join(4);

    CHECK(script.trial(1).config == Config{{"x", 0.25}});
    CHECK(script.trial(2).origin == Origin::random);
}

TEST_CASE("a grid is trained once, and each point by all repetitions") {
    auto spec = repeated(9, 1);
    spec.space = SearchSpace({{"x", Categorical{{Value{1.0}, Value{2.0}}}}});
    spec.sampler = "grid";
    Script script{spec};
    script.join(9);

    CHECK(script.sweep.trials().size() == 4);
    for (int id = 0; id < 4; ++id) {
        script.report(id, 1, 0.5);
    }
    CHECK(script.sweep.state() == SweepState::finished);
}

TEST_CASE("a configuration fails when all its repetitions have failed") {
    auto spec = repeated(1, 1);
    spec.max_retries = 0;
    Script script{spec};
    script.join(2);
    script.fail(0);
    CHECK(script.sweep.candidates()[0].status == TrialStatus::running);

    CHECK(script.fail(1) == "finish all_trials_done best none");
    CHECK(script.sweep.state() == SweepState::failed);
    CHECK(script.retry(1) == "resume 1 on 0 g1 b1");
    CHECK(script.report(1, 1, 0.5) == "stop 1 completed; finish all_trials_done best 1");
}

TEST_CASE("a configuration whose only losses come from failed repetitions does not keep others from being the best") {
    auto spec = repeated(/*run_cap=*/2, /*max=*/4);
    spec.max_retries = 0;
    Script script{spec};
    script.join(4);
    script.apply(TrialTimeUp{TrialId{1}});  // before its first report
    script.report(0, 1, 0.1);               // which decides the rung
    script.apply(TrialFailed{TrialId{0}, FailureKind::crash});

    script.report(2, 1, 0.5);
    script.report(3, 1, 0.4);

    CHECK(script.sweep.finish_reason() == FinishReason::all_trials_done);
    CHECK(script.sweep.best() == TrialId{3});
}

TEST_CASE("repeat with a scheduler that ranks single trials is refused") {
    for (const auto kind : {SchedulerKind::successive_halving, SchedulerKind::hyperband, SchedulerKind::pasha,
                            SchedulerKind::median}) {
        auto spec = spec_of(kind, 4, 4);
        spec.repeat.times = 2;

        CHECK_THROWS_WITH_AS(Sweep{spec}, doctest::Contains("rank single trials"), InvalidInput);
    }
    auto promoting = spec_of(SchedulerKind::asha, 4, 4, Mode::promote);
    promoting.repeat.times = 2;
    CHECK_THROWS_WITH_AS(Sweep{promoting}, doctest::Contains("mode is promote"), InvalidInput);
}

TEST_CASE("a sweep with one repetition decides like a sweep without repeat") {
    auto spec = repeated(2, 4, {1, JudgedBy::worst});
    const auto once = without_repeat(spec);
    spec.repeat = {};

    CHECK(once == without_repeat(spec));
}
