/// Limits that change while a sweep runs, and after it ended.

#include <doctest/doctest.h>

#include "core/check.hpp"
#include "tests/scheduler/script.hpp"

using namespace crescendo;

TEST_CASE("a sweep that ended with all its trials continues when it may have more") {
    Script script{spec_of(/*run_cap=*/1, /*max=*/1)};
    script.join(1);
    CHECK(script.report(0, 1, 0.5) == "stop 0 completed; finish all_trials_done best 0");

    CHECK(script.change_run_cap(2) == "start 1 on 0 g0 b1");
    CHECK(script.sweep.state() == SweepState::running);
    CHECK(script.trial(0).status == TrialStatus::finished);
    CHECK(script.report(1, 1, 0.4) == "stop 1 completed; drop 0; finish all_trials_done best 1");
}

TEST_CASE("with a smaller cap, no more trials start, and the sweep ends with its running trials") {
    Script script{spec_of(9, 2)};
    script.join(1);

    CHECK(script.change_run_cap(1) == "");
    CHECK(script.report(0, 2, 0.5) == "stop 0 completed; finish all_trials_done best 0");

    Script later{spec_of(9, 2)};
    later.join(2);
    later.report(0, 2, 0.5);
    later.report(1, 2, 0.4);  // 2 and 3 run
    CHECK(later.change_run_cap(2) == "");
    CHECK(later.report(2, 2, 0.3) == "stop 2 completed; drop 1");
    CHECK(later.report(3, 2, 0.2) == "stop 3 completed; drop 2; finish all_trials_done best 3");
}

TEST_CASE("a sweep whose time was up continues if it gets more time and has a trial to start") {
    auto spec = spec_of(2, 4);
    spec.has_time_budget = true;
    Script script{spec};
    script.join(1);
    script.report(0, 1, 0.5);
    CHECK(script.apply(TimeUp{}) == "stop 0 swept; finish time_up best 0");

    CHECK(script.apply(LimitsChanged{limits_of(spec), /*has_time_left=*/false}) == "");
    CHECK(script.sweep.state() == SweepState::finished);
    CHECK(script.apply(LimitsChanged{limits_of(spec)}) == "start 1 on 0 g0 b1");
    CHECK(script.trial(0).status == TrialStatus::stopped);  // it no longer has a checkpoint
}

TEST_CASE("a sweep that met its target continues with a harder target, unless that is already met") {
    auto spec = spec_of(9, 8);
    spec.target = 0.5;
    Script script{spec};
    script.join(1);
    CHECK(script.report(0, 1, 0.3) == "stop 0 swept; finish target_reached best 0");
    auto limits = limits_of(spec);

    limits.target = 0.4;
    CHECK(script.change(limits) == "");
    CHECK(script.sweep.state() == SweepState::finished);
    limits.target = 0.1;
    CHECK(script.change(limits) == "start 1 on 0 g0 b1");
}

TEST_CASE("a target that a trial has already met ends the sweep at once") {
    Script script{spec_of(9, 8)};
    script.join(1);
    script.report(0, 1, 0.3);
    auto limits = limits_of(script.sweep.spec());

    limits.target = 0.4;

    CHECK(script.change(limits) == "stop 0 swept; finish target_reached best 0");
}

TEST_CASE("a cancelled sweep stays cancelled") {
    Script script{spec_of(1, 8)};
    script.join(1);
    script.apply(Cancelled{});

    CHECK(script.change_run_cap(9) == "");
    CHECK(script.sweep.state() == SweepState::finished);
}

TEST_CASE("trials beyond a lower max_concurrent keep running, but no other trial starts") {
    Script script{spec_of(9, 2)};
    script.join(2);
    auto limits = limits_of(script.sweep.spec());
    limits.max_concurrent = 1;
    CHECK(script.change(limits) == "");

    CHECK(script.report(0, 2, 0.5) == "stop 0 completed");
    CHECK(script.report(1, 2, 0.4) == "stop 1 completed; drop 0; start 2 on 0 g0 b1");
}

TEST_CASE("a lower max_retries applies from the next failure on") {
    Script script{spec_of(1, 2)};
    script.join(1);
    script.fail(0);
    auto limits = limits_of(script.sweep.spec());
    limits.max_retries = 1;
    script.change(limits);

    CHECK(script.fail(0) == "finish all_trials_done best none");
}

TEST_CASE("invalid limits are refused and change nothing") {
    Script script{spec_of(1, 2)};
    script.join(1);
    auto limits = limits_of(script.sweep.spec());
    limits.run_cap = 0;

    CHECK_THROWS_WITH_AS(script.change(limits), doctest::Contains("run_cap is 0"), InvalidInput);
    CHECK_THROWS_WITH_AS(script.change_run_cap({}), doctest::Contains("nothing ends this sweep"), InvalidInput);
    CHECK(script.sweep.spec().run_cap == 1);
}

TEST_CASE("when a promoting sweep is extended, paused trials that have ended are not promoted but still count") {
    for (const auto kind : {SchedulerKind::asha, SchedulerKind::pasha}) {
        Script script{spec_of(kind, /*run_cap=*/2, /*max=*/2, Mode::promote)};
        script.join(1);
        script.report(0, 1, 0.1);
        CHECK(script.report(1, 1, 0.2) == "pause 1; resume 0 on 0 g1 b1");
        CHECK(script.report(0, 2, 0.1) == "stop 0 completed; drop 1; finish all_trials_done best 0");

        CHECK(script.change_run_cap(4) == "start 2 on 0 g0 b1");

        CHECK(script.report(2, 1, 0.3) == "pause 2; start 3 on 0 g0 b1");
        // The best two of the four results may continue, but 1, the second, has ended.
        CHECK(script.report(3, 1, 0.4) == "pause 3; drop 2; drop 3; finish all_trials_done best 0");
        CHECK(script.sweep.rungs().front().size == 4);
    }
}

TEST_CASE("an extended hyperband sweep opens further brackets") {
    Script script{spec_of(SchedulerKind::hyperband, /*run_cap=*/1, /*max=*/2)};  // brackets of 2 and 2 trials, cut to 1
    script.join(1);
    CHECK(script.report(0, 1, 0.5) == "");  // the only one of its bracket continues
    CHECK(script.report(0, 2, 0.5) == "stop 0 completed; finish all_trials_done best 0");

    CHECK(script.change_run_cap(3) == "start 1 on 0 g0 b1");
    CHECK(script.trial(1).bracket == 1);
    CHECK(script.report(1, 1, 0.5) == "");  // this bracket begins at 2
}

TEST_CASE("a hyperband bracket that can no longer fill up is decided among the trials that came") {
    Script script{spec_of(SchedulerKind::hyperband, /*run_cap=*/9, /*max=*/4)};  // the first bracket takes 4 trials
    script.join(1);
    CHECK(script.report(0, 1, 0.2) == "pause 0; start 1 on 0 g0 b1");

    CHECK(script.change_run_cap(2) == "");

    CHECK(script.report(1, 1, 0.1) == "");  // the better of only two
    CHECK(script.trial(0).status == TrialStatus::stopped);
}

TEST_CASE("successive halving halves a given number of trials and cannot be extended") {
    Script script{spec_of(SchedulerKind::successive_halving, 4, 4)};

    CHECK_THROWS_WITH_AS(script.change_run_cap(8), doctest::Contains("halves the 4 trials"), InvalidInput);
    auto limits = limits_of(script.sweep.spec());
    limits.max_retries = 0;
    CHECK(script.change(limits) == "");
}
