/// Trials that the user holds and releases, and trials whose time is up.

#include <doctest/doctest.h>

#include "core/check.hpp"
#include "tests/scheduler/script.hpp"

using namespace crescendo;

TEST_CASE("a trial that is held gives its slots to another, and continues once it is released") {
    Script script{spec_of(SchedulerKind::fifo, /*run_cap=*/2, /*max=*/4)};
    script.join(1);
    script.report(0, 1, 0.5);

    CHECK(script.hold(0) == "pause 0; start 1 on 0 g0 b1");
    CHECK(script.trial(0).status == TrialStatus::held);
    CHECK(script.report(1, 4, 0.4) == "stop 1 completed");  // the slot stays free
    CHECK(script.sweep.waits_for_release());

    CHECK(script.release(0) == "resume 0 on 0 g1 b1");
    CHECK_FALSE(script.sweep.waits_for_release());
    CHECK(script.report(0, 4, 0.3) == "stop 0 completed; drop 1; finish all_trials_done best 0");
}

TEST_CASE("a trial with checkpoints at its reports is held at the next one") {
    Script script{spec_of(SchedulerKind::fifo, 1, 4)};
    script.join(1);

    CHECK(script.hold(0, HoldAt::report) == "");
    CHECK(script.trial(0).status == TrialStatus::running);
    CHECK(script.report(0, 1, 0.5) == "pause 0");
    CHECK(script.trial(0).status == TrialStatus::held);
    CHECK(script.release(0) == "resume 0 on 0 g1 b1");
}

TEST_CASE("a trial that is released before its next report keeps running") {
    Script script{spec_of(SchedulerKind::fifo, 1, 4)};
    script.join(1);
    script.hold(0, HoldAt::report);

    CHECK(script.release(0) == "");
    CHECK(script.report(0, 1, 0.5) == "");
}

TEST_CASE("holding or releasing a trial twice, or after its end, changes nothing") {
    Script script{spec_of(SchedulerKind::fifo, 2, 2)};
    script.join(2);
    script.hold(0);
    script.report(1, 2, 0.5);

    CHECK(script.hold(0) == "");
    CHECK(script.hold(1) == "");
    CHECK(script.release(1) == "");
    CHECK_FALSE(script.trial(1).is_held);
    CHECK(script.release(0) == "resume 0 on 0 g1 b1");
    CHECK(script.release(0) == "");
    CHECK_THROWS_AS(script.hold(2), InvalidInput);
    CHECK_THROWS_AS(script.release(2), InvalidInput);
}

TEST_CASE("a held trial whose slots are lost does not wait for others") {
    Script script{spec_of(SchedulerKind::fifo, 1, 4)};
    script.join(1);
    script.hold(0, HoldAt::report);
    CHECK(script.lose({SlotId{0}}) == "");
    CHECK(script.trial(0).status == TrialStatus::held);

    CHECK(script.apply(SlotsJoined{slots(1, 1)}) == "");
    CHECK(script.release(0) == "resume 0 on 1 g1 b1");
}

TEST_CASE("a trial that is held while it waits for slots gets none until its release") {
    Script script{spec_of(SchedulerKind::fifo, 1, 4)};
    script.join(1);
    script.lose({SlotId{0}});

    CHECK(script.hold(0) == "");
    CHECK(script.apply(SlotsJoined{slots(1, 1)}) == "");
    CHECK(script.release(0) == "resume 0 on 1 g1 b1");
}

TEST_CASE("a trial that is held at a rung is promoted without slots, and does not block other promotions") {
    Script script{spec_of(SchedulerKind::asha, /*run_cap=*/4, /*max=*/4, Mode::promote)};
    script.join(1);
    CHECK(script.report(0, 1, 0.1) == "pause 0; start 1 on 0 g0 b1");
    script.hold(0);
    CHECK(script.trial(0).status == TrialStatus::paused);

    CHECK(script.report(1, 1, 0.2) == "pause 1; start 2 on 0 g0 b1");  // 0 is the better of two
    CHECK(script.trial(0).status == TrialStatus::held);
    CHECK(script.trial(0).rungs_survived == 1);
    CHECK(script.report(2, 1, 0.3) == "pause 2; start 3 on 0 g0 b1");
    CHECK(script.report(3, 1, 0.4) == "pause 3; resume 1 on 0 g1 b1");  // the next of four
    CHECK(script.release(0) == "");
    CHECK(script.report(1, 2, 0.2) == "pause 1; resume 0 on 0 g1 b1");
}

TEST_CASE("a held trial gets no slots when its rung is decided because no more trials will start") {
    auto spec = spec_of(SchedulerKind::successive_halving, /*run_cap=*/4, /*max=*/2);
    spec.space = SearchSpace({{"x", IntUniform{1, 3}}});
    spec.sampler = "grid";  // of 3 trials, and the rung waits for 4
    Script script{spec};
    script.join(1);
    script.report(0, 1, 0.1);
    script.hold(0);
    script.report(1, 1, 0.2);

    CHECK(script.report(2, 1, 0.3) == "pause 2; drop 2");
    CHECK(script.trial(0).status == TrialStatus::held);
    CHECK(script.sweep.waits_for_release());
    CHECK(script.release(0) == "resume 0 on 0 g1 b1");
}

TEST_CASE("trials that are paused at a rung wait for a held trial") {
    Script script{spec_of(SchedulerKind::asha, 2, 2, Mode::promote)};
    script.join(2);
    script.hold(1);

    CHECK(script.report(0, 1, 0.2) == "pause 0");
    CHECK(script.sweep.waits_for_release());
    CHECK(script.release(1) == "resume 1 on 0 g1 b1");
    CHECK(script.report(1, 1, 0.3) == "pause 1; resume 0 on 0 g1 b1");
}

TEST_CASE("a sweep whose trials are all held ends when its time is up, or when it is cancelled") {
    for (const Event& end : {Event{TimeUp{}}, Event{Cancelled{}}}) {
        Script script{spec_of(SchedulerKind::fifo, 1, 4)};
        script.join(1);
        script.report(0, 1, 0.5);
        script.hold(0);

        const auto actions = script.apply(end);

        CHECK(actions.starts_with("finish "));
        CHECK(script.trial(0).reason == StopReason::swept);
        CHECK_FALSE(script.trial(0).is_held);
        CHECK(script.sweep.best() == TrialId{0});
    }
}

TEST_CASE("a held trial can be stopped, and the sweep ends") {
    Script script{spec_of(SchedulerKind::fifo, 1, 4)};
    script.join(1);
    script.hold(0);

    CHECK(script.stop(0) == "drop 0; finish all_trials_done best none");
}

TEST_CASE("a held trial that fails is resumed only once it is released") {
    Script script{spec_of(SchedulerKind::fifo, 1, 4)};
    script.join(1);
    script.hold(0, HoldAt::report);

    CHECK(script.fail(0) == "");
    CHECK(script.trial(0).status == TrialStatus::held);
    CHECK(script.release(0) == "resume 0 on 0 g1 b1");
}

TEST_CASE("a trial whose time is up ends with a reason of its own, whatever its state") {
    for (const auto kind : {SchedulerKind::fifo, SchedulerKind::successive_halving}) {
        Script script{spec_of(kind, 2, 4)};
        script.join(2);
        script.report(0, 1, 0.1);

        script.apply(TrialTimeUp{TrialId{0}});
        script.apply(TrialTimeUp{TrialId{0}});

        CHECK(script.trial(0).status == TrialStatus::stopped);
        CHECK(script.trial(0).reason == StopReason::timed_out);
        CHECK(script.report(1, 4, 0.09) == "stop 1 completed; drop 0; finish all_trials_done best 1");
    }
}

TEST_CASE("a trial stops at its report if a held trial that trained ahead beats it at that rung") {
    Script script{spec_of(SchedulerKind::successive_halving, /*run_cap=*/4, /*max=*/4)};  // milestones 1, 2, 4
    script.join(4);
    script.report(0, 2, 0.1);  // beyond the first rung
    script.hold(0);
    script.report(1, 1, 0.8);
    script.report(2, 1, 0.9);

    CHECK(script.report(3, 2, 0.2) == "drop 2; stop 3 judged; drop 1");
    CHECK(script.trial(3).status == TrialStatus::stopped);
    CHECK(script.trial(0).status == TrialStatus::held);
}
