/// Trials that reach their own end (`trial:` of the sweep file) before the maximum resource.

#include <doctest/doctest.h>

#include "tests/scheduler/script.hpp"

using namespace crescendo;

namespace {

/// Milestones 1, 2, 4 and 8. A trial is complete at a loss of 0.1, or after 10 seconds.
SweepSpec ending(SchedulerKind kind, int run_cap = 4) {
    auto spec = spec_of(run_cap, 8);
    spec.scheduler.kind = kind;
    spec.trial_end = {.target = 0.1, .seconds = 10};
    return spec;
}

SweepSpec promoting(int run_cap) {
    auto spec = ending(SchedulerKind::asha, run_cap);
    spec.scheduler.mode = Mode::promote;
    return spec;
}

}  // namespace

TEST_CASE("a trial that meets its own target is complete, and the sweep continues") {
    Script script{ending(SchedulerKind::rasda, /*run_cap=*/2)};
    script.join(1);

    CHECK(script.report(0, 3, 0.11, 3.0) == "");
    CHECK(script.report(0, 5, 0.1, 5.0) == "stop 0 reached; start 1 on 0 g0 b1");
    CHECK(script.trial(0).status == TrialStatus::finished);
    CHECK(script.trial(0).reason == StopReason::reached);
    CHECK(script.report(1, 1, 0.05, 1.0) == "stop 1 reached; drop 0; finish all_trials_done best 1");
}

TEST_CASE("with a metric to maximize, a trial ends at or above its target") {
    auto spec = ending(SchedulerKind::fifo, 1);
    spec.goal = Goal::maximize;
    spec.trial_end = {.target = 0.9};
    Script script{spec};
    script.join(1);

    CHECK(script.report(0, 1, to_loss(Goal::maximize, 0.89)) == "");
    CHECK(script.report(0, 2, to_loss(Goal::maximize, 0.9)) == "stop 0 reached; finish all_trials_done best 0");
}

TEST_CASE("a trial whose time is used up is complete, whatever its loss") {
    Script script{ending(SchedulerKind::fifo)};
    script.join(1);

    CHECK(script.report(0, 1, 0.9, 9.999) == "");
    CHECK(script.report(0, 2, 0.9, 10.0) == "stop 0 reached; start 1 on 0 g0 b1");
    CHECK(script.report(1, 1, 0.9) == "");  // its time was not measured
}

TEST_CASE("a trial that reaches its own end at the maximum has completed the maximum") {
    Script script{ending(SchedulerKind::fifo, 1)};
    script.join(1);

    CHECK(script.report(0, 8, 0.05, 80.0) == "stop 0 completed; finish all_trials_done best 0");
}

TEST_CASE("a repeated report of a resumed trial does not end it") {
    Script script{ending(SchedulerKind::fifo, 1)};
    script.join(1);
    script.report(0, 2, 0.9, 9.0);
    script.fail(0);

    CHECK(script.report(0, 2, 0.9, 11.0) == "");  // its clock continues from the checkpoint, on a slower node
    CHECK(script.report(0, 3, 0.9, 12.0) == "stop 0 reached; finish all_trials_done best 0");
}

TEST_CASE("a trial at its own end counts at the rung that it would have lost") {
    Script script{ending(SchedulerKind::asha)};
    script.join(3);
    script.report(0, 1, 0.2, 1.0);

    CHECK(script.report(1, 1, 0.3, 10.0) == "stop 1 reached; start 3 on 1 g0 b1");
    CHECK(script.sweep.rungs()[0].size == 2);
    CHECK(script.trial(1).status == TrialStatus::finished);
    CHECK(script.report(2, 1, 0.25, 1.0) == "stop 2 judged; drop 1");  // one of three continues
}

TEST_CASE("a trial at its own end does not pause, and is not promoted") {
    Script script{promoting(/*run_cap=*/3)};
    script.join(1);

    CHECK(script.report(0, 1, 0.3, 10.0) == "stop 0 reached; start 1 on 0 g0 b1");
    CHECK(script.sweep.rungs()[0].size == 1);
    CHECK(script.report(1, 1, 0.5, 1.0) == "pause 1; start 2 on 0 g0 b1");  // trial 0 is the best of two
    CHECK(script.report(2, 1, 0.2, 1.0) == "");
    CHECK(script.report(2, 2, 0.1, 2.0) == "stop 2 reached; drop 0; drop 1; finish all_trials_done best 2");
    CHECK(script.trial(1).reason == StopReason::judged);
}

TEST_CASE("no bracket waits for a trial at its own end") {
    Script script{ending(SchedulerKind::successive_halving)};  // 4 trials, then 2, then 1
    script.join(4);
    script.report(0, 1, 0.4, 1.0);
    script.report(1, 1, 0.3, 1.0);

    CHECK(script.report(2, 1, 0.1, 1.0) == "stop 2 reached");
    // The best two of four are 2 and 1.
    CHECK(script.report(3, 1, 0.9, 1.0) == "stop 3 judged; drop 3; drop 0; resume 1 on 0 g1 b1");
    CHECK(script.sweep.rungs()[1].size == 1);
    CHECK(script.report(1, 2, 0.2, 2.0) == "");
    CHECK(script.report(1, 3, 0.1, 3.0) == "stop 1 reached; drop 2; finish all_trials_done best 1");
}

TEST_CASE("a synchronous rung decides the same if the trial at its own end comes last") {
    Script script{ending(SchedulerKind::successive_halving)};
    script.join(4);
    script.report(0, 1, 0.4, 1.0);
    script.report(1, 1, 0.3, 1.0);
    script.report(3, 1, 0.9, 1.0);

    CHECK(script.report(2, 1, 0.1, 1.0) == "stop 2 reached; drop 0; drop 3; resume 1 on 0 g1 b1");
    CHECK(script.sweep.rungs()[1].size == 1);
    CHECK(script.report(1, 2, 0.2, 2.0) == "");
}

TEST_CASE("a report may end both its trial and the sweep") {
    auto spec = ending(SchedulerKind::asha);
    spec.target = 0.1;
    Script script{spec};
    script.join(2);
    script.report(0, 1, 0.3, 1.0);

    CHECK(script.report(1, 1, 0.05, 1.0) == "stop 1 reached; stop 0 swept; drop 0; finish target_reached best 1");
}

TEST_CASE("a trial that ended has a reason") {
    Script script{promoting(/*run_cap=*/4)};
    script.join(2);
    script.report(0, 1, 0.3, 1.0);
    script.finish(1);
    script.report(2, 8, 0.4, 1.0);
    CHECK_FALSE(script.trial(2).reason.has_value());
    CHECK(script.trial(1).reason == StopReason::completed);
    script.apply(Cancelled{});

    for (const int trial : {0, 2, 3}) {
        CHECK(script.trial(trial).reason == StopReason::swept);
    }
}
