/// Failed trials that are tried again.

#include <doctest/doctest.h>

#include "core/check.hpp"
#include "tests/scheduler/script.hpp"

using namespace crescendo;

namespace {

/// A spec in which a failure is final.
SweepSpec without_retries(SchedulerKind kind, int run_cap, int max, Mode mode = Mode::stop) {
    auto spec = spec_of(kind, run_cap, max, mode);
    spec.max_retries = 0;
    return spec;
}

}  // namespace

TEST_CASE("a retried trial is resumed, and its failures in a row count from zero") {
    auto spec = without_retries(SchedulerKind::asha, /*run_cap=*/2, /*max=*/2);
    spec.max_retries = 1;
    Script script{spec};
    script.join(1);
    script.fail(0);
    CHECK(script.fail(0) == "start 1 on 0 g0 b1");

    CHECK(script.retry(0) == "");  // it waits
    CHECK(script.trial(0).status == TrialStatus::waiting);
    CHECK(script.report(1, 2, 0.5) == "stop 1 completed; resume 0 on 0 g2 b1");
    CHECK(script.fail(0) == "resume 0 on 0 g3 b1");
    CHECK(script.trial(0).failures == 3);
    CHECK(script.report(0, 2, 0.4) == "stop 0 completed; drop 1; finish all_trials_done best 0");
}

TEST_CASE("a sweep whose trials all failed continues with retried trials") {
    Script script{without_retries(SchedulerKind::asha, 2, 2)};
    script.join(2);
    script.fail(0);
    script.fail(1);
    CHECK(script.sweep.state() == SweepState::failed);

    CHECK(script.retry(1) == "resume 1 on 0 g1 b1");
    CHECK(script.sweep.state() == SweepState::running);
    CHECK(script.report(1, 2, 0.5) == "stop 1 completed; finish all_trials_done best 1");
    CHECK(script.sweep.state() == SweepState::finished);
}

TEST_CASE("a retried trial counts once at the rung where it failed, with its report there") {
    for (const auto rule : {Rule::rank, Rule::percentile}) {
        auto spec = without_retries(SchedulerKind::asha, 2, 2);
        spec.scheduler.rule = rule;
        Script script{spec};
        script.join(2);
        script.fail(0);
        CHECK(script.sweep.rungs()[0].size == 1);

        script.retry(0);
        CHECK(script.sweep.rungs()[0].size == 0);
        CHECK(script.report(0, 1, 0.5) == "");  // the first there
        CHECK(script.sweep.rungs()[0].size == 1);
        CHECK(script.report(1, 1, 0.6) == "stop 1 judged");  // behind it
    }
}

TEST_CASE("a retried trial of a promoting sweep is ranked by its reports") {
    for (const auto kind : {SchedulerKind::asha, SchedulerKind::pasha}) {
        Script script{without_retries(kind, 2, 2, Mode::promote)};
        script.join(1);
        script.fail(0);
        CHECK(script.report(1, 1, 0.2) == "");  // the better of two, one of which failed
        CHECK(script.retry(0) == "");
        CHECK(script.sweep.rungs()[0].size == 1);
        CHECK(script.report(1, 2, 0.2) == "stop 1 completed; resume 0 on 0 g1 b1");
        CHECK(script.report(0, 1, 0.1) == "");
        CHECK(script.sweep.rungs()[0].size == 2);
    }
}

TEST_CASE("a synchronous rung waits for a trial that is retried before it is decided") {
    for (const auto kind : {SchedulerKind::successive_halving, SchedulerKind::hyperband}) {
        Script script{without_retries(kind, 2, 2)};
        script.join(2);
        script.fail(0);
        CHECK(script.sweep.rungs()[0].size == 1);
        CHECK(script.retry(0) == "resume 0 on 0 g1 b1");
        CHECK(script.sweep.rungs()[0].size == 0);
        CHECK(script.report(1, 1, 0.5) == "pause 1");
        CHECK(script.report(0, 1, 0.4) == "");
        CHECK(script.trial(1).status == TrialStatus::stopped);
    }
}

TEST_CASE("a synchronous rung that was decided without a trial does not take it back") {
    Script script{without_retries(SchedulerKind::successive_halving, 2, 2)};
    script.join(2);
    script.report(0, 1, 0.5);
    script.fail(1);  // 0 continues

    CHECK_FALSE(script.sweep.can_retry(TrialId{1}));
    CHECK_THROWS_WITH_AS(script.retry(1), doctest::Contains("ranked without it"), InvalidInput);
    CHECK(script.trial(1).status == TrialStatus::failed);
}

TEST_CASE("a bracket whose trials all failed can be retried, and then ranks them") {
    Script script{without_retries(SchedulerKind::successive_halving, 2, 2)};
    script.join(2);
    script.fail(0);
    CHECK(script.fail(1) == "finish all_trials_done best none");

    CHECK(script.retry(0) == "resume 0 on 0 g1 b1");
    CHECK(script.retry(1) == "resume 1 on 1 g1 b1");
    CHECK(script.report(0, 1, 0.5) == "pause 0");
    CHECK(script.report(1, 1, 0.6) == "stop 1 judged; resume 0 on 0 g2 b1");
}

TEST_CASE("only a failed trial can be retried, and only if the sweep may continue") {
    auto spec = without_retries(SchedulerKind::asha, 3, 1);
    spec.target = 0.1;
    Script script{spec};
    script.join(1);
    script.fail(0);
    CHECK_THROWS_WITH_AS(script.retry(1), doctest::Contains("trial 1 is running"), InvalidInput);
    CHECK_THROWS_WITH_AS(script.retry(7), doctest::Contains("unknown"), InvalidInput);

    script.report(1, 1, 0.05);

    CHECK_THROWS_WITH_AS(script.retry(0), doctest::Contains("reached its target"), InvalidInput);
    CHECK(script.sweep.state() == SweepState::finished);
}

TEST_CASE("a sweep whose time was up retries trials once there is more time") {
    auto spec = without_retries(SchedulerKind::asha, 1, 1);
    spec.has_time_budget = true;
    Script script{spec};
    script.join(1);
    script.fail(0);
    script.apply(TimeUp{});

    CHECK_THROWS_AS(script.retry(0), InvalidInput);
    script.change(limits_of(spec));
    CHECK(script.retry(0) == "resume 0 on 0 g1 b1");
}
