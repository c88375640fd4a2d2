#include <doctest/doctest.h>

#include "core/check.hpp"
#include "tests/scheduler/script.hpp"

using namespace crescendo;

namespace {

SweepSpec asha_without_retries(int run_cap, int max) {
    auto spec = spec_of(run_cap, max);
    spec.scheduler.kind = SchedulerKind::asha;
    spec.max_retries = 0;
    return spec;
}

}  // namespace

TEST_CASE("a failed trial is retried, at once if its slots allow it") {
    Script script{spec_of(2, 4)};
    script.join(1);
    script.report(0, 1, 0.5);

    CHECK(script.fail(0) == "resume 0 on 0 g1 b1");
    CHECK(script.trial(0).failures == 1);
    CHECK(script.trial(0).status == TrialStatus::running);
    CHECK(script.trial(0).loss == 0.5);
}

TEST_CASE("a trial that has used up its retries fails without a stop action") {
    auto spec = spec_of(2, 4);
    spec.max_retries = 1;
    Script script{spec};
    script.join(1);
    script.fail(0);

    CHECK(script.fail(0) == "start 1 on 0 g0 b1");  // its checkpoint stays: it may be tried again
    CHECK(script.trial(0).status == TrialStatus::failed);
    CHECK(script.trial(0).failures == 2);
}

TEST_CASE("a failed trial keeps its reports and is the worst of its next rung") {
    Script script{asha_without_retries(4, 4)};
    script.join(4);
    script.report(0, 1, 0.3);
    script.fail(0);
    script.report(1, 1, 0.2);
    script.report(1, 2, 0.2);  // 0.2 and the failure
    script.report(2, 1, 0.1);

    CHECK(script.sweep.rungs()[0].size == 3);
    CHECK(script.sweep.rungs()[1].size == 2);
    CHECK(script.report(3, 1, 0.15) == "");  // second of four
}

TEST_CASE("a failed trial is never the best") {
    Script script{asha_without_retries(2, 4)};
    script.join(2);
    script.report(0, 1, 0.1);
    script.report(1, 1, 0.05);

    script.fail(1);

    CHECK(script.sweep.best() == TrialId{0});
}

TEST_CASE("a sweep whose trials all fail has failed") {
    Script script{asha_without_retries(2, 4)};
    script.join(2);
    script.report(0, 1, 0.5);

    CHECK(script.fail(0) == "");
    CHECK(script.fail(1) == "finish all_trials_done best none");
    CHECK(script.sweep.state() == SweepState::failed);
}

TEST_CASE("one trial that does not fail is enough for a sweep to finish") {
    Script script{asha_without_retries(2, 4)};
    script.join(2);
    script.fail(0);

    CHECK(script.finish(1) == "drop 1; finish all_trials_done best none");
    CHECK(script.sweep.state() == SweepState::finished);
}

TEST_CASE("a trial that loses a slot continues in memory on its other slots, and this is not a failure") {
    Script script{spec_of(1, 8)};
    script.join(4);
    script.report(0, 2, 0.5);  // on all 4

    CHECK(script.lose({SlotId{0}}) == "regroup 0 on 1,2,3 g2 b4");
    CHECK(script.trial(0).failures == 0);
    CHECK(script.trial(0).target_workers == 4);
    CHECK(script.sweep.num_slots() == 3);
    CHECK(script.apply(SlotsJoined{slots(4, 1)}) == "");
    CHECK(script.report(0, 3, 0.5) == "regroup 0 on 1,2,3,4 g3 b4");
}

TEST_CASE("a trial that loses all its slots resumes on others") {
    Script script{spec_of(1, 8)};
    script.join(4);
    script.report(0, 1, 0.5);  // on 2

    CHECK(script.lose({SlotId{0}, SlotId{1}}) == "resume 0 on 2,3 g2 b2");
    CHECK(script.trial(0).failures == 0);
}

TEST_CASE(
    "after a worker fails, the others continue in memory, in order, and the group grows back at the next report") {
    Script script{spec_of(1, 8)};
    script.join(4);
    script.report(0, 2, 0.5);

    CHECK(script.fail_worker(0, 0) == "regroup 0 on 1,2,3 g2 b4");  // slot 1 holds the state now
    CHECK(script.trial(0).failures == 1);
    CHECK(script.sweep.num_free_slots() == 1);
    CHECK(script.report(0, 3, 0.5) == "regroup 0 on 1,2,3,0 g3 b4");
}

TEST_CASE("the slot of a failed worker may go to another trial instead of its group") {
    auto spec = spec_of(3, 8);
    spec.scheduler.workers = 2;
    Script script{spec};
    script.join(5);  // two trials, and one slot that is too few for a third

    CHECK(script.fail_worker(0, 1) == "regroup 0 on 0 g1 b2; start 2 on 1,4 g0 b2");
    CHECK(script.report(0, 1, 0.5) == "");  // nothing is free
}

TEST_CASE("a trial is resumed when its last worker fails") {
    Script script{spec_of(1, 8)};
    script.join(2);
    script.report(0, 1, 0.5);

    CHECK(script.fail_worker(0, 1) == "regroup 0 on 0 g2 b2");
    CHECK(script.fail_worker(0, 0) == "resume 0 on 0,1 g3 b2");
}

TEST_CASE("workers that fail one after the other, without a report in between, count as one failure") {
    auto spec = spec_of(1, 8);
    spec.max_retries = 1;
    Script script{spec};
    script.join(2);
    script.report(0, 1, 0.5);
    script.fail_worker(0, 1, FailureKind::error);
    script.fail_worker(0, 0, FailureKind::repeated_error);  // both have the same cause

    CHECK(script.trial(0).status == TrialStatus::running);
    CHECK(script.trial(0).failures == 1);
    CHECK(script.fail_worker(0, 1) == "stop 0 failed; finish all_trials_done best none");
    CHECK(script.trial(0).failures == 2);
}

TEST_CASE("failures count in a row, and a new report resets them") {
    auto spec = spec_of(1, 8);
    spec.max_retries = 1;
    Script script{spec};
    script.join(1);

    for (int epoch = 1; epoch < 8; ++epoch) {
        script.fail(0);
        script.report(0, epoch, 0.5);
    }

    CHECK(script.trial(0).status == TrialStatus::running);
    CHECK(script.trial(0).failures == 7);
}

TEST_CASE("a repeated report of a resumed trial is not progress, and does not reset the failures") {
    auto spec = spec_of(1, 8);
    spec.max_retries = 1;
    Script script{spec};
    script.join(1);
    script.report(0, 1, 0.5);
    script.fail(0);
    script.report(0, 1, 0.5);

    CHECK(script.fail(0) == "finish all_trials_done best none");
}

TEST_CASE("a repeated error fails the trial at once, even if retries are left") {
    Script script{spec_of(2, 4)};
    script.join(1);
    script.fail(0, FailureKind::error);

    CHECK(script.fail(0, FailureKind::repeated_error) == "start 1 on 0 g0 b1");
    CHECK(script.trial(0).status == TrialStatus::failed);
}

TEST_CASE("a trial that runs out of memory splits its batches in two from then on") {
    Script script{spec_of(1, 8)};
    script.join(2);
    script.report(0, 1, 0.5);

    CHECK(script.fail_worker(0, 1, FailureKind::out_of_memory) == "regroup 0 on 0 g2 b2 a2");
    CHECK(script.fail_worker(0, 0, FailureKind::out_of_memory) == "resume 0 on 0,1 g3 b2 a2");  // in the same step
    CHECK(script.fail(0, FailureKind::out_of_memory) == "resume 0 on 0,1 g4 b2 a4");
    CHECK(script.report(0, 2, 0.5) == "");
    CHECK(script.fail(0) == "resume 0 on 0,1 g5 b2 a4");
}

TEST_CASE("the failure of a worker outside the trial's group does not affect the trial") {
    Script script{spec_of(1, 8)};
    script.join(2);

    CHECK(script.fail_worker(0, 1) == "");
    CHECK(script.trial(0).failures == 0);
}

TEST_CASE("a sweep that lost all its slots continues when others join") {
    Script script{spec_of(2, 8)};
    script.join(2);

    CHECK(script.lose({SlotId{0}, SlotId{1}}) == "");
    CHECK(script.trial(0).status == TrialStatus::waiting);
    CHECK(script.trial(0).group.slots.empty());
    CHECK(script.sweep.num_slots() == 0);
    CHECK(script.report(0, 1, 0.5) == "");  // came late
    CHECK(script.trial(0).resource == Resource{0});
    CHECK(script.apply(SlotsJoined{slots(7, 1)}) == "resume 0 on 7 g1 b1");
    CHECK(script.apply(SlotsJoined{slots(0, 1)}) == "resume 1 on 0 g1 b1");  // a lost slot is back
}

TEST_CASE("a slot that is lost twice counts once") {
    Script script{spec_of(2, 8)};
    script.join(2);

    script.lose({SlotId{0}, SlotId{0}});
    CHECK(script.sweep.num_slots() == 1);
    CHECK(script.lose({SlotId{0}}) == "");
    CHECK(script.sweep.num_slots() == 1);
}

TEST_CASE("losing a free slot stops no trial") {
    Script script{spec_of(1, 8)};
    script.join(2);

    CHECK(script.lose({SlotId{1}}) == "");
    CHECK(script.trial(0).status == TrialStatus::running);
}

TEST_CASE("waiting trials come before new ones: most rungs first, then the lowest id") {
    auto spec = spec_of(9, 8);
    spec.scheduler.kind = SchedulerKind::asha;
    Script script{spec};
    script.join(3);
    script.report(0, 1, 0.3);
    script.report(1, 1, 0.2);
    script.report(1, 2, 0.2);
    script.report(2, 1, 0.1);
    script.lose({SlotId{0}, SlotId{1}, SlotId{2}});

    CHECK(script.apply(SlotsJoined{slots(3, 1)}) == "resume 1 on 3 g1 b1");  // two rungs
    CHECK(script.apply(SlotsJoined{slots(4, 1)}) == "resume 0 on 4 g1 b1");
    CHECK(script.apply(SlotsJoined{slots(5, 2)}) == "resume 2 on 5 g1 b1; start 3 on 6 g0 b1");
}

TEST_CASE("a resumed trial whose slot is lost before it starts waits again") {
    Script script{spec_of(1, 8)};
    script.join(1);
    script.report(0, 1, 0.5);
    script.fail(0);

    CHECK(script.lose({SlotId{0}}) == "");
    CHECK(script.trial(0).status == TrialStatus::waiting);
    CHECK(script.apply(SlotsJoined{slots(1, 1)}) == "resume 0 on 1 g2 b1");
    CHECK(script.trial(0).failures == 1);
}

TEST_CASE("a resumed trial may repeat its reports, then continues") {
    Script script{spec_of(1, 8)};
    script.join(1);
    script.report(0, 3, 0.5);
    script.fail(0);

    CHECK(script.report(0, 1, 0.4) == "");  // it begins again
    CHECK(script.report(0, 3, 0.4) == "");
    CHECK_THROWS_AS(script.report(0, 2, 0.4), InvalidInput);
    CHECK(script.trial(0).loss == 0.5);
    CHECK(script.report(0, 4, 0.3) == "");
    CHECK(script.trial(0).rungs_survived == 3);
}
