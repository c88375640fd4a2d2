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

TEST_CASE("a failed trial is retried, at once where its slots allow") {
    Script script{spec_of(2, 4)};
    script.join(1);
    script.report(0, 1, 0.5);

    CHECK(script.fail(0) == "resume 0 on 0 g1 b1");
    CHECK(script.trial(0).failures == 1);
    CHECK(script.trial(0).status == TrialStatus::running);
    CHECK(script.trial(0).loss == 0.5);
}

TEST_CASE("a trial that has used up its retries fails, and is not told to stop") {
    auto spec = spec_of(2, 4);
    spec.max_retries = 1;
    Script script{spec};
    script.join(1);
    script.fail(0);

    CHECK(script.fail(0) == "drop 0; start 1 on 0 g0 b1");
    CHECK(script.trial(0).status == TrialStatus::failed);
    CHECK(script.trial(0).failures == 2);
}

TEST_CASE("a failed trial keeps what it reported and is the worst of its next rung") {
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

    CHECK(script.fail(0) == "drop 0");
    CHECK(script.fail(1) == "drop 1; finish all_trials_done best none");
    CHECK(script.sweep.state() == SweepState::failed);
}

TEST_CASE("one trial that ends otherwise is enough for a sweep to finish") {
    Script script{asha_without_retries(2, 4)};
    script.join(2);
    script.fail(0);

    CHECK(script.finish(1) == "drop 1; finish all_trials_done best none");
    CHECK(script.sweep.state() == SweepState::finished);
}

TEST_CASE("a trial that lost a slot waits, and counts no failure") {
    Script script{spec_of(1, 8)};
    script.join(4);
    script.report(0, 2, 0.5);  // on all 4

    CHECK(script.lose({SlotId{0}}) == "resume 0 on 1,2 g2 b4");  // 3 are left, of which its ladder takes 2
    CHECK(script.trial(0).failures == 0);
    CHECK(script.trial(0).target_workers == 4);
    CHECK(script.sweep.num_slots() == 3);
    CHECK(script.apply(SlotsJoined{slots(4, 1)}) == "");
    CHECK(script.report(0, 3, 0.5) == "regroup 0 on 1,2,3,4 g3 b4");
}

TEST_CASE("a sweep that lost all its slots goes on when others join") {
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

TEST_CASE("slots lost twice are lost once") {
    Script script{spec_of(2, 8)};
    script.join(2);

    script.lose({SlotId{0}, SlotId{0}});
    CHECK(script.sweep.num_slots() == 1);
    CHECK(script.lose({SlotId{0}}) == "");
    CHECK(script.sweep.num_slots() == 1);
}

TEST_CASE("a free slot that is lost stops nobody") {
    Script script{spec_of(1, 8)};
    script.join(2);

    CHECK(script.lose({SlotId{1}}) == "");
    CHECK(script.trial(0).status == TrialStatus::running);
}

TEST_CASE("waiting trials come before new ones, those that survived most rungs first, then the lowest id") {
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

TEST_CASE("a resumed trial whose slot dies before it starts waits again") {
    Script script{spec_of(1, 8)};
    script.join(1);
    script.report(0, 1, 0.5);
    script.fail(0);

    CHECK(script.lose({SlotId{0}}) == "");
    CHECK(script.trial(0).status == TrialStatus::waiting);
    CHECK(script.apply(SlotsJoined{slots(1, 1)}) == "resume 0 on 1 g2 b1");
    CHECK(script.trial(0).failures == 1);
}

TEST_CASE("a resumed trial that repeats what it reported goes on") {
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
