/// Trials that the user stops.

#include <doctest/doctest.h>

#include "core/check.hpp"
#include "tests/scheduler/script.hpp"

using namespace crescendo;

TEST_CASE("a running trial that is stopped gives its slots to another, and ends with a reason of its own") {
    Script script{spec_of(SchedulerKind::asha, /*run_cap=*/2, /*max=*/4)};
    script.join(1);
    script.report(0, 1, 0.5);

    CHECK(script.stop(0) == "stop 0 requested; start 1 on 0 g0 b1");

    CHECK(script.trial(0).status == TrialStatus::stopped);
    CHECK(script.trial(0).reason == StopReason::requested);
    CHECK(script.sweep.best() == TrialId{0});  // what it reported counts
}

TEST_CASE("stopping an ended trial, or the same trial twice, changes nothing") {
    Script script{spec_of(SchedulerKind::asha, 2, 2)};
    script.join(2);
    script.report(0, 2, 0.5);
    script.stop(1);

    CHECK(script.stop(0) == "");
    CHECK(script.stop(1) == "");
    CHECK(script.trial(0).reason == StopReason::completed);
    CHECK(script.sweep.state() == SweepState::finished);
}

TEST_CASE("a trial that has not started cannot be stopped") {
    Script script{spec_of(SchedulerKind::asha, 2, 2)};
    script.join(1);

    CHECK_THROWS_AS(script.stop(1), InvalidInput);
    CHECK_THROWS_AS(script.stop(-1), InvalidInput);
}

TEST_CASE("a trial that waits for slots can be stopped, and the sweep ends without it") {
    Script script{spec_of(SchedulerKind::asha, 2, 2)};
    script.join(2);
    script.lose({SlotId{1}});
    CHECK(script.trial(1).status == TrialStatus::waiting);

    CHECK(script.stop(1) == "drop 1");
    CHECK(script.report(0, 2, 0.5) == "stop 0 completed; finish all_trials_done best 0");
}

TEST_CASE("a paused trial that is stopped is not promoted, and its result counts at the rung") {
    for (const auto kind : {SchedulerKind::asha, SchedulerKind::pasha}) {
        Script script{spec_of(kind, 3, 4, Mode::promote)};
        script.join(1);
        CHECK(script.report(0, 1, 0.1) == "pause 0; start 1 on 0 g0 b1");

        CHECK(script.stop(0) == "");

        // The better of the two results has ended, so no trial is promoted.
        CHECK(script.report(1, 1, 0.2) == "pause 1; start 2 on 0 g0 b1");
        CHECK(script.sweep.rungs()[0].size == 2);
    }
}

TEST_CASE("a synchronous rung does not wait for a trial that was stopped") {
    for (const bool has_reported : {false, true}) {
        Script script{spec_of(SchedulerKind::successive_halving, 2, 2)};
        script.join(2);
        if (has_reported) {
            CHECK(script.report(0, 1, 0.1) == "pause 0");
        }

        script.stop(0);

        if (has_reported) {
            // It was the better of the two, so the only place in the next rung was its own.
            CHECK(script.report(1, 1, 0.2) == "stop 1 judged; drop 1; finish all_trials_done best 0");
        } else {
            CHECK(script.report(1, 2, 0.2) == "stop 1 completed; finish all_trials_done best 1");
        }
    }
}

TEST_CASE("a trial that was to be promoted at a synchronous rung can be stopped while it waits for its slots") {
    auto spec = spec_of(SchedulerKind::successive_halving, 4, 4);
    Script script{spec};
    script.join(4);
    script.report(0, 1, 0.1);
    script.report(1, 1, 0.2);
    script.report(2, 1, 0.3);
    script.lose({SlotId{0}, SlotId{1}, SlotId{2}});
    CHECK(script.report(3, 1, 0.4) == "stop 3 judged; drop 3; resume 0 on 3 g1 b1");  // 1 is next

    CHECK(script.stop(1) == "drop 2");  // 1 is now the best trial that ended

    CHECK(script.sweep.rungs()[1].size == 1);
    CHECK(script.report(0, 2, 0.1) == "");  // both results of its rung are known, and it is the best
    CHECK(script.trial(0).rungs_survived == 2);
}
