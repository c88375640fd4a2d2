/// Slots that may be to blame for the failures of trials.

#include <doctest/doctest.h>

#include <algorithm>

#include "core/random.hpp"
#include "tests/sanitized.hpp"
#include "tests/scheduler/script.hpp"
#include "tests/scheduler/slot_books.hpp"

using namespace crescendo;
using crescendo::tests::seeds;

namespace {

SweepSpec retrying(int run_cap, int max_retries = 2) {
    auto spec = spec_of(SchedulerKind::fifo, run_cap, /*max=*/4);
    spec.max_retries = max_retries;
    return spec;
}

/// Nodes with two slots each.
std::vector<Slot> nodes(int count) {
    std::vector<Slot> slots;
    for (int slot = 0; slot < 2 * count; ++slot) {
        slots.push_back({SlotId{slot}, NodeId{slot / 2}});
    }
    return slots;
}

}  // namespace

TEST_CASE("a trial is retried on another free slot, or on its own if the launcher suspects none") {
    Script suspected{retrying(1)};
    Script unsuspected{retrying(1)};
    suspected.join(2);
    unsuspected.join(2);

    CHECK(suspected.fail_on(0, 0) == "resume 0 on 1 g1 b1");
    CHECK(unsuspected.fail_worker(0, 0, FailureKind::error) == "resume 0 on 0 g1 b1");  // as in older journals
}

TEST_CASE("a suspected slot goes to another trial that can use it, and the failed trial takes the next other slot") {
    Script script{retrying(4)};
    script.join(2);

    CHECK(script.fail_on(0, 0) == "start 2 on 0 g0 b1");
    CHECK(script.trial(0).status == TrialStatus::waiting);
    CHECK(script.report(1, 4, 0.5) == "stop 1 completed; resume 0 on 1 g1 b1");  // before trial 3
}

TEST_CASE("a suspected slot that no other trial can use is taken again, but not for the last attempt") {
    Script script{retrying(2)};
    script.join(2);

    CHECK(script.fail_on(0, 0) == "resume 0 on 0 g1 b1");
    CHECK(script.fail_on(0, 0) == "");
    CHECK(script.sweep.num_free_slots() == 1);
    CHECK(script.report(1, 4, 0.5) == "stop 1 completed; resume 0 on 1 g2 b1");
}

TEST_CASE("a trial does not wait for other slots if the sweep has none") {
    Script one{retrying(1)};
    one.join(1);
    CHECK(one.fail_on(0, 0) == "resume 0 on 0 g1 b1");
    CHECK(one.fail_on(0, 0) == "resume 0 on 0 g2 b1");

    Script lost{retrying(2)};
    lost.join(2);
    lost.fail_on(0, 0);
    CHECK(lost.fail_on(0, 0) == "");
    CHECK(lost.lose({SlotId{1}}) == "resume 0 on 0 g2 b1");  // trial 1 waits after it
}

TEST_CASE("a trial takes suspected slots as well if the others are not enough") {
    auto spec = retrying(1, /*max_retries=*/1);
    spec.scheduler.workers = 2;
    Script script{spec};
    script.join(3);
    script.fail_on(0, 0);

    CHECK(script.fail_on(1, 0) == "resume 0 on 2,0 g2 b2");
}

TEST_CASE("a trial prefers another node, and waits for one before its last attempt") {
    Script script{retrying(5, /*max_retries=*/2)};
    script.apply(SlotsJoined{nodes(2)});
    script.report(1, 4, 0.5);                                         // trial 4 starts on slot 1
    script.report(2, 4, 0.5);                                         // slot 2 is free
    REQUIRE(script.report(4, 4, 0.5) == "stop 4 completed; drop 4");  // and slot 1

    CHECK(script.fail_on(0, 0) == "resume 0 on 2 g1 b1");

    Script full{retrying(4, /*max_retries=*/2)};
    full.apply(SlotsJoined{nodes(2)});
    full.report(1, 4, 0.5);
    CHECK(full.fail_on(0, 0) == "resume 0 on 1 g1 b1");  // no other node has a free slot
    CHECK(full.fail_on(1, 0) == "");                     // slots 0 and 1 are free
    CHECK(full.report(3, 4, 0.5) == "stop 3 completed; drop 3; resume 0 on 3 g2 b1");
}

TEST_CASE("slots on the GPU of a suspected slot are avoided too") {
    Script script{retrying(3)};
    script.apply(SlotsJoined{{{SlotId{0}, NodeId{0}, 0},
                              {SlotId{1}, NodeId{0}, 1},
                              {SlotId{2}, NodeId{0}, 0},
                              {SlotId{3}, NodeId{0}, 1}}});  // the trials are on slots 0, 1 and 2
    script.finish(2);

    CHECK(script.fail_on(0, 0) == "resume 0 on 3 g1 b1");
}

TEST_CASE("a slot is no longer avoided once another trial has reported from it") {
    Script script{retrying(3)};
    script.join(2);
    REQUIRE(script.fail_on(0, 0) == "start 2 on 0 g0 b1");
    CHECK(script.sweep.is_in_doubt(SlotId{0}, TrialId{0}));

    script.report(2, 1, 0.5);

    CHECK_FALSE(script.sweep.is_in_doubt(SlotId{0}, TrialId{0}));
    CHECK(script.report(2, 4, 0.5) == "stop 2 completed; resume 0 on 0 g1 b1");
}

TEST_CASE("a group grows back to slots other than the failed worker's") {
    Script script{spec_of(1, 8)};
    script.join(6);
    script.report(0, 2, 0.5);  // on 4 slots

    CHECK(script.fail_on(1, 0) == "regroup 0 on 0,2,3 g2 b4");
    CHECK(script.report(0, 3, 0.5) == "regroup 0 on 0,2,3,4 g3 b4");
}

TEST_CASE("survivors give slots back to a trial that waits for slots on which it has not failed") {
    auto spec = spec_of(/*run_cap=*/2, /*max=*/16);
    spec.scheduler.surplus = Switch::on;
    spec.scheduler.shrink = Switch::on;
    spec.max_retries = 1;
    Script script{spec};
    script.join(17);
    for (int resource = 1; resource <= 5; ++resource) {
        script.report(1, resource, 0.5);  // a target of 8 workers, and 8 more
    }
    REQUIRE(script.trial(1).group.slots.size() == 16);

    CHECK(script.fail_on(0, 0) == "");  // its last attempt waits
    CHECK(script.report(1, 6, 0.5) == "regroup 1 on 1,2,3,4,5,6,7,8 g5 b8; resume 0 on 9 g1 b1");
}

TEST_CASE("a suspect that is not a slot of the trial changes nothing") {
    Script script{retrying(1)};
    script.join(2);

    CHECK(script.apply(TrialFailed{TrialId{0}, FailureKind::error, SlotId{0}, SlotId{1}}) == "resume 0 on 0 g1 b1");
}

TEST_CASE("whichever slot or node is broken, no trial fails for good, and the sweep ends") {
    for (std::uint64_t seed = 0; seed < seeds(4'000); ++seed) {
        CAPTURE(seed);
        CounterRandom random(seed, 0);
        auto spec = spec_of(seed % 3 == 0 ? SchedulerKind::fifo : SchedulerKind::rasda,
                            1 + static_cast<int>(random.below(20)), /*max=*/8);
        spec.max_retries = 1 + static_cast<int>(random.below(2));
        if (spec.scheduler.kind == SchedulerKind::rasda && seed % 2 == 0) {
            spec.scheduler.surplus = Switch::on;
        }
        SlotBooks books{spec};
        const int num_slots = 2 + static_cast<int>(random.below(6));
        const int num_nodes = 2 + static_cast<int>(random.below(3));
        const bool is_node = seed % 4 == 3;
        books.apply(SlotsJoined{is_node ? nodes(num_nodes) : slots(0, num_slots)});
        const auto place =
            static_cast<std::int32_t>(random.below(static_cast<std::uint64_t>(is_node ? num_nodes : num_slots)));
        const auto is_broken = [&](SlotId slot) { return (is_node ? slot.value / 2 : slot.value) == place; };

        for (int turn = 0; books.sweep().state() == SweepState::running; ++turn) {
            REQUIRE(turn < 5'000);
            const auto index = static_cast<std::ptrdiff_t>(random.below(books.groups().size()));
            const auto [trial, group] = *std::next(books.groups().begin(), index);
            if (const auto broken = std::ranges::find_if(group.slots, is_broken); broken != group.slots.end()) {
                const auto kind = random.below(2) == 0 ? FailureKind::crash : FailureKind::error;
                books.apply(TrialFailed{trial, kind, *broken, *broken});
            } else {
                const auto resource = books.sweep().trial(trial).resource.value + 1;
                books.apply(TrialReported{trial, Resource{resource}, random.uniform()});
            }
        }

        for (const auto& trial : books.sweep().trials()) {
            REQUIRE(trial.status != TrialStatus::failed);
        }
    }
}
