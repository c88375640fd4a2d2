#include <doctest/doctest.h>

#include "tests/scheduler/script.hpp"

using namespace crescendo;

namespace {

/// Milestones 1, 2, 4, …; a rung promotes its better half.
SweepSpec promoting(int run_cap, int max) {
    auto spec = spec_of(run_cap, max);
    spec.scheduler.kind = SchedulerKind::asha;
    spec.scheduler.mode = Mode::promote;
    return spec;
}

}  // namespace

TEST_CASE("a single slot runs a whole promoting sweep") {
    Script script{promoting(/*run_cap=*/4, /*max=*/4)};
    script.join(1);

    CHECK(script.report(0, 1, 0.5) == "pause 0; start 1 on 0 g0 b1");
    CHECK(script.report(1, 1, 0.4) == "");  // the better of two: promoted where it is
    CHECK(script.report(1, 2, 0.3) == "pause 1; start 2 on 0 g0 b1");
    CHECK(script.report(2, 1, 0.3) == "");
    CHECK(script.report(2, 2, 0.2) == "");
    CHECK(script.report(2, 4, 0.1) == "stop 2 completed; start 3 on 0 g0 b1");
    CHECK(script.report(3, 1, 0.9) == "pause 3; drop 0; drop 1; drop 3; finish all_trials_done best 2");
    CHECK(script.trial(0).status == TrialStatus::stopped);
}

TEST_CASE("a report that makes another trial promotable gives it the slot") {
    Script script{promoting(3, 4)};
    script.join(1);
    script.report(0, 1, 0.1);

    CHECK(script.report(1, 1, 0.2) == "pause 1; resume 0 on 0 g1 b1");
    CHECK(script.trial(0).rungs_survived == 1);
    CHECK(script.sweep.next_milestone(TrialId{0}) == Resource{2});
}

TEST_CASE("a trial that trained ahead climbs as far as it has trained, without a slot") {
    Script script{promoting(2, 4)};
    script.join(1);

    CHECK(script.report(0, 4, 0.5) == "pause 0; start 1 on 0 g0 b1");
    CHECK(script.report(1, 1, 0.9) == "pause 1; drop 1; finish all_trials_done best 0");  // 0 is alone at 2
    CHECK(script.trial(0).rungs_survived == 1);
}

TEST_CASE("a promoted trial whose slot is lost before it starts waits, and counts once at its rung") {
    Script script{promoting(2, 4)};
    script.join(1);
    script.report(0, 1, 0.1);
    script.report(1, 1, 0.2);  // resumes 0

    CHECK(script.lose({SlotId{0}}) == "");
    CHECK(script.trial(0).status == TrialStatus::waiting);
    CHECK(script.apply(SlotsJoined{slots(3, 1)}) == "resume 0 on 3 g2 b1");
    CHECK(script.sweep.rungs()[0].size == 2);
}

TEST_CASE("a late report, failure or end of a paused trial changes nothing") {
    Script script{promoting(3, 4)};
    script.join(1);
    script.report(0, 1, 0.5);

    CHECK(script.report(0, 2, 0.1) == "");
    CHECK(script.fail(0) == "");
    CHECK(script.finish(0) == "");
    CHECK(script.trial(0).status == TrialStatus::paused);
    CHECK(script.trial(0).failures == 0);
}

TEST_CASE("waiting trials come before a promotion unless they survived fewer rungs") {
    Script script{promoting(3, 4)};
    script.join(2);
    script.report(0, 1, 0.1);  // pauses; 2 starts on its slot
    script.lose({SlotId{1}});  // 1 waits, with no rung survived

    CHECK(script.report(2, 1, 0.2) == "pause 2; resume 0 on 0 g1 b1");
    CHECK(script.report(0, 2, 0.1) == "pause 0; resume 1 on 0 g1 b1");
}

TEST_CASE("a cancelled sweep ends its paused trials without a stop action") {
    Script script{promoting(3, 4)};
    script.join(1);
    script.report(0, 1, 0.5);

    CHECK(script.apply(Cancelled{}) == "stop 1 swept; drop 1; finish cancelled best 0");
    CHECK(script.trial(0).status == TrialStatus::stopped);
}

TEST_CASE("a promoted trial of rasda grows if slots are free") {
    auto spec = promoting(2, 4);
    spec.scheduler.kind = SchedulerKind::rasda;
    Script script{spec};
    script.join(2);
    script.report(0, 1, 0.5);

    CHECK(script.report(1, 1, 0.4) == "regroup 1 on 1,0 g1 b2");
}

TEST_CASE("starts_first: a trial that would be promoted at its report leaves its slot to a new trial") {
    auto spec = spec_of(SchedulerKind::rasda, /*run_cap=*/3, /*max=*/2);
    spec.scheduler.mode = Mode::promote;
    spec.scheduler.reduction_factor = 2;
    spec.scheduler.priority = Priority::starts_first;
    Script script{spec};
    script.join(1);
    script.report(0, 1, 0.5);

    CHECK(script.report(1, 1, 0.1) == "pause 1; start 2 on 0 g0 b1");  // the best of two
}
