/// Sweeps and trials that end because nothing improves.

#include "scheduler/sweep/improvement.hpp"

#include <doctest/doctest.h>

#include <limits>

#include "tests/scheduler/script.hpp"

using namespace crescendo;

namespace {

SweepSpec patient(const Patience& patience, int run_cap = 10, SchedulerKind kind = SchedulerKind::fifo) {
    auto spec = spec_of(kind, run_cap, /*max=*/8);
    spec.patience = patience;
    return spec;
}

}  // namespace

TEST_CASE("a sweep ends after the given number of trials in a row without a better value") {
    Script script{patient({.trials = 2})};
    script.join(1);
    script.report(0, 8, 0.5);
    script.report(1, 8, 0.6);
    CHECK(script.report(2, 8, 0.4) == "stop 2 completed; drop 0; start 3 on 0 g0 b1");  // better: counted from here
    script.report(3, 8, 0.4);

    CHECK(script.report(4, 8, 0.6) == "stop 4 completed; drop 4; finish no_progress best 2");  // 3 and 4
}

TEST_CASE("trials that a synchronous rung eliminates count at the next event, after the promoted ones have resumed") {
    Script script{patient({.trials = 2}, /*run_cap=*/4, SchedulerKind::successive_halving)};
    script.join(4);
    for (int trial = 0; trial < 3; ++trial) {
        script.report(trial, 1, 0.1 * (trial + 1));
    }

    CHECK(script.report(3, 1, 0.4) == "stop 3 judged; drop 3; resume 0 on 0 g1 b1; resume 1 on 1 g1 b1");
    CHECK(script.report(0, 2, 0.3) == "pause 0; stop 1 swept; drop 2; drop 0; finish no_progress best 1");
}

TEST_CASE("a better value of a running trial counts, and running trials end with the sweep") {
    Script script{patient({.trials = 2})};
    script.join(2);
    script.report(0, 8, 0.5);
    script.report(1, 1, 0.4);  // continues

    script.report(2, 8, 0.5);
    CHECK(script.report(3, 8, 0.5) == "stop 3 completed; drop 3; stop 1 swept; drop 0; finish no_progress best 1");
}

TEST_CASE("a trial that the user stops counts as one without a better value, but a failed trial does not") {
    auto spec = patient({.trials = 2});
    spec.max_retries = 0;
    Script script{spec};
    script.join(1);
    script.fail(0);
    script.fail(1);
    script.stop(2);

    CHECK(script.sweep.state() == SweepState::running);
    CHECK(script.stop(3) == "stop 3 requested; drop 3; finish no_progress best none");
}

TEST_CASE("a sweep that ended without progress starts its patience again when it gets more trials") {
    Script script{patient({.trials = 2}, /*run_cap=*/3)};
    script.join(1);
    script.stop(0);
    script.stop(1);
    REQUIRE(script.sweep.finish_reason() == FinishReason::no_progress);

    CHECK(script.change_run_cap(6) == "start 2 on 0 g0 b1");
    CHECK(script.stop(2) == "stop 2 requested; drop 2; start 3 on 0 g0 b1");
    CHECK(script.stop(3) == "stop 3 requested; drop 3; finish no_progress best none");
}

TEST_CASE("a trial ends when its metric has not improved for the given resource") {
    Script script{patient({.resource = 3}, /*run_cap=*/1)};
    script.join(1);

    CHECK(script.report(0, 1, 0.5) == "");
    CHECK(script.report(0, 3, 0.5) == "");  // equal is not better
    CHECK(script.report(0, 4, 0.6) == "stop 0 no_progress; finish all_trials_done best 0");
    CHECK(script.trial(0).status == TrialStatus::stopped);
}

TEST_CASE("a metric that is never a number does not improve") {
    Script script{patient({.resource = 2}, /*run_cap=*/1)};
    script.join(1);
    const double nan = std::numeric_limits<double>::quiet_NaN();

    CHECK(script.report(0, 1, nan) == "");
    CHECK(script.report(0, 2, nan) == "stop 0 no_progress; drop 0; finish all_trials_done best none");
}

TEST_CASE("a trial that does not improve counts at the rungs it crossed, and one that loses there is judged") {
    Script script{patient({.resource = 1}, 3, SchedulerKind::asha)};  // rungs at 1, 2, 4, 8
    script.join(3);
    script.report(0, 1, 0.1);
    script.report(1, 1, 0.2);  // judged

    CHECK(script.report(0, 2, 0.1) == "stop 0 no_progress; drop 1");
    CHECK(script.sweep.rungs()[1].size == 1);
    CHECK(script.report(2, 1, 0.9) == "stop 2 judged; drop 2; finish all_trials_done best 0");
}

TEST_CASE("a synchronous rung does not wait for a trial that does not improve") {
    Script script{patient({.resource = 1}, 2, SchedulerKind::successive_halving)};  // rung 1: 2 trials, then 1
    script.join(2);
    script.report(0, 1, std::numeric_limits<double>::infinity());

    CHECK(script.trial(0).reason == StopReason::no_progress);
    CHECK(script.report(1, 1, 0.5) == "");
    CHECK(script.trial(1).rungs_survived == 1);
}

TEST_CASE("a trial has its own patience, whatever the others reported") {
    Improvement improvement{{.trials = {}, .resource = 2}};
    Trial late;
    late.id = TrialId{7};
    late.resource = Resource{5};
    late.loss = 0.5;

    improvement.note_report(late);

    CHECK_FALSE(improvement.is_over(late));
    CHECK_FALSE(improvement.is_over());  // a sweep without a number of trials never runs out of patience
    late.resource = Resource{7};
    improvement.note_report(late);
    CHECK(improvement.is_over(late));
}
