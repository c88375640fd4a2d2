#include <doctest/doctest.h>

#include "tests/scheduler/script.hpp"

using namespace crescendo;

namespace {

/// Groups may grow beyond their targets.
SweepSpec surplus_of(int run_cap, int max) {
    auto spec = spec_of(run_cap, max);
    spec.scheduler.reduction_factor = 4;  // milestones 1, 4, 16
    spec.scheduler.scaling_factor = 2;
    spec.scheduler.surplus = Switch::on;
    return spec;
}

}  // namespace

TEST_CASE("grow: partial takes any number up to the target") {
    auto spec = spec_of(/*run_cap=*/2, /*max=*/16);
    spec.scheduler.grow = GrowPolicy::partial;
    Script script{spec};
    script.join(6);  // trials 0 and 1; 4 slots are free

    CHECK(script.report(0, 4, 0.5) == "regroup 0 on 0,2,3,4,5 g1 b6");
}

TEST_CASE("grow: wait gives up its slots, and collects slots until the target is reached") {
    auto spec = spec_of(3, 8);
    spec.scheduler.grow = GrowPolicy::wait;
    Script script{spec};
    script.join(2);

    CHECK(script.report(0, 1, 0.1) == "pause 0");  // it is due 2, and no trial starts on its slot
    CHECK(script.trial(0).status == TrialStatus::waiting);
    CHECK(script.report(1, 1, 0.2) == "stop 1 judged; resume 0 on 0,1 g1 b2");
    CHECK(script.report(0, 8, 0.1) == "stop 0 completed; drop 1; start 2 on 0 g0 b1");
}

TEST_CASE("grow: wait does not wait for more slots than there are") {
    auto spec = spec_of(3, 8);
    spec.scheduler.grow = GrowPolicy::wait;
    Script script{spec};
    script.join(2);
    script.report(0, 1, 0.1);

    CHECK(script.lose({SlotId{0}}) == "");
    CHECK(script.report(1, 1, 0.2) == "stop 1 judged; resume 0 on 1 g1 b2");
}

TEST_CASE("grow: wait pauses a trial only at a milestone, where it has a checkpoint") {
    auto spec = spec_of(2, 8);
    spec.scheduler.grow = GrowPolicy::wait;
    spec.scheduler.max_workers = 4;
    Script script{spec};
    script.join(1);
    script.report(0, 2, 0.1);  // on all slots
    script.join(1);            // trial 1 starts

    CHECK(script.report(0, 3, 0.1) == "");
    CHECK(script.report(0, 4, 0.1) == "pause 0");  // due 2 of 2
}

TEST_CASE("promotions_first keeps freed slots for survivors that are short of their target") {
    auto spec = spec_of(3, 8);
    spec.scheduler.priority = Priority::promotions_first;
    Script script{spec};
    script.join(2);
    script.report(0, 1, 0.1);

    CHECK(script.report(1, 1, 0.2) == "stop 1 judged");  // not: start 2
    CHECK(script.report(0, 2, 0.1) == "regroup 0 on 0,1 g1 b2");
}

TEST_CASE("promotions_first gives slots that no survivor is short of to new trials") {
    auto spec = spec_of(4, 8);
    spec.scheduler.priority = Priority::promotions_first;
    spec.scheduler.max_workers = 2;
    Script script{spec};
    script.join(3);
    script.report(0, 1, 0.1);
    CHECK(script.report(1, 1, 0.2) == "stop 1 judged");

    CHECK(script.report(2, 1, 0.3) == "stop 2 judged; drop 2; start 3 on 1 g0 b1");
}

TEST_CASE("starts_first starts new trials before it resumes waiting ones") {
    for (const auto priority : {Priority::starts_first, Priority::tail}) {
        auto spec = spec_of(3, 8);
        spec.scheduler.priority = priority;
        Script script{spec};
        script.join(2);
        script.lose({SlotId{1}});

        const bool starts = priority == Priority::starts_first;
        CHECK(script.apply(SlotsJoined{slots(5, 1)}) == (starts ? "start 2 on 5 g0 b1" : "resume 1 on 5 g1 b1"));
    }
}

TEST_CASE("shrink: a group gives slots to a waiting trial that survived the same number of rungs") {
    auto spec = spec_of(2, 16);
    spec.scheduler.shrink = Switch::on;
    Script script{spec};
    script.join(4);
    script.report(0, 2, 0.2);
    script.report(1, 2, 0.1);
    script.lose({SlotId{1}, SlotId{3}});  // those of trial 1

    CHECK(script.report(0, 3, 0.2) == "regroup 0 on 0 g2 b4; resume 1 on 2 g2 b4");
}

TEST_CASE("shrink: a group gives only its surplus to a trial that survived fewer rungs") {
    auto spec = spec_of(2, 16);
    spec.scheduler.shrink = Switch::on;
    Script script{spec};
    script.join(4);
    script.report(0, 2, 0.2);
    script.report(1, 1, 0.1);
    script.lose({SlotId{1}, SlotId{3}});

    CHECK(script.report(0, 3, 0.2) == "");
}

TEST_CASE("surplus: idle slots double a survivor that has its target, once nothing can start") {
    auto spec = surplus_of(1, 16);
    Script script{spec};
    script.join(4);

    CHECK(script.report(0, 1, 0.5) == "regroup 0 on 0,1 g1 b2");
    CHECK(script.report(0, 2, 0.5) == "regroup 0 on 0,1,2,3 g2 b2");  // the batch follows the target
    CHECK(script.report(0, 3, 0.5) == "");
}

TEST_CASE("surplus goes to the best survivor, even if another one reports first") {
    auto spec = surplus_of(2, 64);
    spec.scheduler.max_workers = 4;
    Script script{spec};
    script.join(6);
    CHECK(script.report(0, 1, 0.5) == "regroup 0 on 0,2 g1 b2");
    CHECK(script.report(1, 1, 0.1) == "regroup 1 on 1,3 g1 b2");  // 2 slots are left, enough for one of them

    CHECK(script.report(0, 2, 0.5) == "");
    CHECK(script.report(1, 2, 0.1) == "regroup 1 on 1,3,4,5 g2 b2");
}

TEST_CASE("surplus: slots that max_concurrent leaves idle double a survivor, even if other trials could start") {
    auto spec = surplus_of(8, 16);
    spec.scheduler.max_concurrent = 1;
    auto earlier = spec;
    earlier.scheduler.capped_surplus = Switch::off;
    Script script{spec};
    Script earlier_script{earlier};
    for (Script* each : {&script, &earlier_script}) {
        each->join(4);
        CHECK(each->report(0, 1, 0.5) == "regroup 0 on 0,1 g1 b2");
    }

    CHECK(earlier_script.report(0, 2, 0.5) == "");
    CHECK(script.report(0, 2, 0.5) == "regroup 0 on 0,1,2,3 g2 b2");
    CHECK(script.report(0, 16, 0.5) == "stop 0 completed; start 1 on 0 g0 b1");
}

TEST_CASE("surplus: with grow: wait, slots are collected for waiting trials, even with max_concurrent") {
    auto spec = surplus_of(8, 16);
    spec.scheduler.grow = GrowPolicy::wait;
    spec.scheduler.max_concurrent = 1;
    Script script{spec};
    script.join(4);
    script.report(0, 1, 0.5);

    CHECK(script.report(0, 2, 0.5) == "");
}

TEST_CASE("surplus and shrink: a group gives the slots beyond its target to a waiting trial") {
    auto spec = surplus_of(2, 16);
    spec.scheduler.shrink = Switch::on;
    Script script{spec};
    script.join(5);
    script.report(0, 1, 0.5);
    script.report(0, 2, 0.5);  // all but the slot of trial 1
    script.lose({SlotId{1}});

    CHECK(script.trial(1).status == TrialStatus::waiting);
    CHECK(script.report(0, 3, 0.5) == "regroup 0 on 0,2 g3 b2; resume 1 on 3 g1 b1");
}

TEST_CASE("surplus and shrink: a group gives nothing back to trials that max_concurrent keeps from running") {
    auto spec = surplus_of(8, 16);
    spec.scheduler.shrink = Switch::on;
    spec.scheduler.max_concurrent = 1;
    Script script{spec};
    script.join(4);
    script.report(0, 1, 0.5);
    CHECK(script.report(0, 2, 0.5) == "regroup 0 on 0,1,2,3 g2 b2");

    CHECK(script.report(0, 3, 0.5) == "");
}

TEST_CASE("surplus without shrink: a group keeps the slots beyond its target even if a trial waits") {
    auto spec = surplus_of(2, 16);
    Script script{spec};
    script.join(5);
    script.report(0, 1, 0.5);
    script.report(0, 2, 0.5);  // all but the slot of trial 1
    script.lose({SlotId{1}});

    CHECK(script.report(0, 3, 0.5) == "");
    CHECK(script.finish(0) == "resume 1 on 0 g1 b1");
}

TEST_CASE("max_concurrent limits the running trials, not their workers") {
    auto spec = spec_of(3, 8);
    spec.scheduler.max_concurrent = 1;
    Script script{spec};

    CHECK(script.join(4) == "start 0 on 0 g0 b1");
    CHECK(script.report(0, 1, 0.5) == "regroup 0 on 0,1 g1 b2");
    CHECK(script.finish(0) == "start 1 on 0 g0 b1");
}
