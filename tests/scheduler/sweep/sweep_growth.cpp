#include <doctest/doctest.h>

#include "tests/scheduler/script.hpp"

using namespace crescendo;

TEST_CASE("a survivor doubles its workers, keeping its slots first") {
    Script script{spec_of(/*run_cap=*/1, /*max=*/8)};
    script.join(4);

    CHECK(script.report(0, 1, 0.5) == "regroup 0 on 0,1 g1 b2");
    CHECK(script.report(0, 2, 0.5) == "regroup 0 on 0,1,2,3 g2 b4");
    CHECK(script.report(0, 4, 0.5) == "");  // max_workers is 4, the slots there were
    CHECK(script.sweep.max_workers() == 4);
}

TEST_CASE("a trial that skips rungs grows to the target of the last one at once") {
    Script script{spec_of(1, 16)};
    script.join(8);

    CHECK(script.report(0, 4, 0.5) == "regroup 0 on 0,1,2,3,4,5,6,7 g1 b8");
}

TEST_CASE("slots of a stopped trial go to waiting and new trials, not to running trials that did not report") {
    Script script{spec_of(3, 4)};
    script.join(2);
    script.report(0, 1, 0.1);  // entitled to 2, both slots in use

    CHECK(script.report(1, 1, 0.2) == "stop 1 judged; start 2 on 1 g0 b1");
    CHECK(script.trial(0).target_workers == 2);
    CHECK(script.trial(0).group.slots.size() == 1);
}

TEST_CASE("a survivor short of slots grows at a later report, milestone or not") {
    Script script{spec_of(2, 8)};
    script.join(2);
    script.report(0, 2, 0.1);  // entitled to 2, which is max_workers
    script.report(1, 1, 0.2);  // stops; nothing is left to start

    CHECK(script.sweep.num_free_slots() == 1);
    CHECK(script.report(0, 3, 0.1) == "regroup 0 on 0,1 g1 b2");
}

TEST_CASE("a survivor grows into slots that are too few for a new trial") {
    auto spec = spec_of(9, 8);
    spec.scheduler.workers = 2;
    spec.scheduler.max_workers = 3;
    Script script{spec};

    CHECK(script.join(5) == "start 0 on 0,1 g0 b2; start 1 on 2,3 g0 b2");
    CHECK(script.report(1, 1, 0.5) == "regroup 1 on 2,3,4 g1 b3");
}

TEST_CASE("a group grows through the sizes of its ladder, or to its target") {
    auto spec = spec_of(2, 16);
    spec.scheduler.max_workers = 6;  // sizes 1, 2, 4, 6
    Script script{spec};
    script.join(6);  // trials 0 and 1; 4 slots are free

    CHECK(script.report(0, 4, 0.5) == "regroup 0 on 0,2,3,4 g1 b6");  // 5 would be possible, but only 4 is a size
    script.finish(1);
    CHECK(script.report(0, 5, 0.5) == "regroup 0 on 0,2,3,4,1,5 g2 b6");
}

TEST_CASE("a target that never fits does not hold up the sweep") {
    auto spec = spec_of(3, 4);
    spec.scheduler.max_workers = 100;
    spec.scheduler.scaling_factor = 50;
    Script script{spec};
    script.join(2);

    CHECK(script.report(0, 1, 0.5) == "");  // entitled to 50
    CHECK(script.trial(0).target_workers == 50);
    CHECK(script.report(0, 4, 0.5) == "stop 0 completed; start 2 on 0 g0 b1");
}

TEST_CASE("a trial that needs more workers than there are slots starts on the existing slots") {
    auto spec = spec_of(2, 4);
    spec.scheduler.workers = 4;
    spec.scheduler.max_workers = 8;
    Script script{spec};

    CHECK(script.join(3) == "start 0 on 0,1,2 g0 b4");
    CHECK(script.join(2) == "");  // the next one starts with 4 now
    CHECK(script.report(0, 1, 0.5) == "regroup 0 on 0,1,2,3 g1 b8");
}

TEST_CASE("asha keeps every trial at the workers it starts with") {
    auto spec = spec_of(1, 8);
    spec.scheduler.kind = SchedulerKind::asha;
    spec.scheduler.workers = 2;
    Script script{spec};

    CHECK(script.join(8) == "start 0 on 0,1 g0 b2");
    CHECK(script.report(0, 4, 0.5) == "");
    CHECK(script.trial(0).target_workers == 2);
}

TEST_CASE("the ladder batch follows the target even while slots are short") {
    Script script{spec_of(2, 8)};
    script.join(2);

    CHECK(script.report(0, 1, 0.5) == "");
    CHECK(script.trial(0).group.batch.multiple == 2);
    CHECK(script.trial(0).group.slots.size() == 1);
    CHECK(script.trial(0).group.generation == 0);
}

TEST_CASE("the per-worker batch follows the group") {
    auto spec = spec_of(2, 8);
    spec.scheduler.batch = BatchPolicy::per_worker;
    spec.scheduler.max_workers = 4;
    Script script{spec};
    script.join(3);

    CHECK(script.report(0, 2, 0.5) == "regroup 0 on 0,2 g1 b2");  // target 4
}

TEST_CASE("the global batch never changes") {
    auto spec = spec_of(1, 8);
    spec.scheduler.batch = BatchPolicy::global;
    spec.scheduler.workers = 2;
    Script script{spec};

    CHECK(script.join(4) == "start 0 on 0,1 g0 b1");
    CHECK(script.report(0, 1, 0.5) == "regroup 0 on 0,1,2,3 g1 b1");
}

TEST_CASE("the adaptive batch grows with the group as far as the noise scale allows, and at any report") {
    auto spec = spec_of(1, 8);
    spec.scheduler.batch = BatchPolicy::adaptive;
    Script script{spec};

    CHECK(script.join(4) == "start 0 on 0 g0 b1");
    CHECK(script.report(0, 1, 0.5, {1.0, 64.0, 200.0}) == "regroup 0 on 0,1 g1 b2");
    CHECK(script.report(0, 2, 0.5, {1.0, 128.0, 200.0}) == "regroup 0 on 0,1,2,3 g2 b2");
    CHECK(script.report(0, 3, 0.5, {1.0, 128.0, 9000.0}) == "");
    CHECK(script.trial(0).group.batch.multiple == 4);
}

TEST_CASE("a trial grows on its own node first") {
    Script script{spec_of(2, 8)};
    auto both = slots(0, 3, NodeId{0});
    for (const auto& slot : slots(3, 2, NodeId{1})) {
        both.push_back(slot);
    }

    CHECK(script.apply(SlotsJoined{both}) == "start 0 on 3 g0 b1; start 1 on 4 g0 b1");  // fills the small node
    CHECK(script.report(0, 1, 0.5) == "regroup 0 on 3,0 g1 b2");
    script.finish(1);
    CHECK(script.report(0, 2, 0.4) == "regroup 0 on 3,0,4,1 g2 b4");
}

/// Two GPUs, each shared by two slots.
const SlotsJoined two_shared_gpus{
    {{SlotId{0}, NodeId{0}, 0}, {SlotId{1}, NodeId{0}, 1}, {SlotId{2}, NodeId{0}, 0}, {SlotId{3}, NodeId{0}, 1}}};

TEST_CASE("a trial grows to another GPU, not to a second slot of its own GPU") {
    Script script{spec_of(4, 8)};
    script.apply(two_shared_gpus);
    script.finish(2);

    CHECK(script.report(0, 1, 0.5) == "");  // slot 2 is free, of its own GPU
    script.finish(3);
    CHECK(script.report(0, 2, 0.4) == "regroup 0 on 0,3 g1 b2");
    script.finish(1);
    CHECK(script.report(0, 3, 0.3) == "");
    CHECK(script.sweep.max_workers() == 2);
}

TEST_CASE("a trial whose workers may share a GPU grows to other GPUs first") {
    auto spec = spec_of(4, 8);
    spec.scheduler.distinct_gpus = Switch::off;
    Script script{spec};
    script.apply(two_shared_gpus);
    script.finish(2);
    script.finish(3);

    CHECK(script.report(0, 1, 0.5) == "regroup 0 on 0,3 g1 b2");
    script.finish(1);
    CHECK(script.report(0, 2, 0.4) == "regroup 0 on 0,3,1,2 g2 b4");
}

TEST_CASE("trials start with at most one worker for each GPU, and survivors do not wait for more workers than that") {
    auto spec = spec_of(4, 8);
    spec.scheduler.workers = 3;
    spec.scheduler.grow = GrowPolicy::wait;
    Script script{spec};

    CHECK(script.apply(two_shared_gpus) == "start 0 on 0,1 g0 b2; start 1 on 2,3 g0 b2");
    CHECK(script.report(0, 1, 0.5) == "");
}

TEST_CASE("on one slot, rasda decides like asha") {
    auto plain = spec_of(20, 8);
    plain.scheduler.kind = SchedulerKind::asha;
    Script rasda{spec_of(20, 8)};
    Script asha{plain};

    CHECK(rasda.join(1) == asha.join(1));
    while (asha.sweep.state() == SweepState::running) {
        const int trial = asha.sweep.trials().back().id.value;
        const int resource = static_cast<int>(asha.trial(trial).resource.value) + 1;
        const double loss = trial * 7 % 5 + 1.0 / resource;
        REQUIRE(rasda.report(trial, resource, loss) == asha.report(trial, resource, loss));
    }
    CHECK(rasda.sweep.state() == SweepState::finished);
}
