#include "scheduler/slots/slot_doubts.hpp"

#include <doctest/doctest.h>

#include "tests/scheduler/slots/pools.hpp"

using namespace crescendo;
using namespace crescendo::tests;

namespace {

constexpr TrialId trial{3};

/// Two nodes of two GPUs, each shared by two slots: slots 0 to 3 and 4 to 7. Even slots are on GPU 0.
SlotPool shared_gpus() { return pool_on_gpus({2, 2}, /*slots_per_gpu=*/2); }

}  // namespace

TEST_CASE("a failure casts doubt on all slots of the GPU and of the node") {
    const auto pool = shared_gpus();
    SlotDoubts doubts;

    doubts.note_failure(trial, SlotId{1}, /*is_last_attempt=*/false, pool);

    const auto* suspects = doubts.of(trial);
    REQUIRE(suspects != nullptr);
    CHECK(suspects->on_gpus == ids({1, 3}));
    CHECK(suspects->on_nodes == ids({0, 1, 2, 3}));
    CHECK(doubts.of(TrialId{4}) == nullptr);
}

TEST_CASE("failures on several slots add up, and GPUs of different nodes are different") {
    const auto pool = shared_gpus();
    SlotDoubts doubts;

    doubts.note_failure(trial, SlotId{0}, false, pool);
    doubts.note_failure(trial, SlotId{5}, false, pool);

    CHECK(doubts.of(trial)->on_gpus == ids({0, 2, 5, 7}));
    CHECK(doubts.of(trial)->on_nodes == ids({0, 1, 2, 3, 4, 5, 6, 7}));
}

TEST_CASE("a report from a slot removes the doubts of all trials about it") {
    const auto pool = pool_of({2, 2});
    SlotDoubts doubts;
    doubts.note_failure(trial, SlotId{0}, /*is_last_attempt=*/true, pool);
    doubts.note_failure(trial, SlotId{1}, /*is_last_attempt=*/true, pool);

    doubts.note_progress(TrialId{8}, ids({1}), pool);
    CHECK(doubts.of(trial)->on_gpus == ids({0}));
    CHECK(doubts.of(trial)->is_last_attempt);
    doubts.note_progress(trial, ids({2}), pool);
    CHECK_FALSE(doubts.of(trial)->is_last_attempt);
    doubts.note_progress(TrialId{8}, ids({0}), pool);
    CHECK_FALSE(doubts.any());
}

TEST_CASE("lost slots and ended trials leave no doubts") {
    auto pool = pool_of({2, 2});
    SlotDoubts doubts;
    doubts.note_failure(trial, SlotId{0}, false, pool);
    doubts.note_failure(TrialId{4}, SlotId{2}, false, pool);

    pool.lose(SlotId{0});
    doubts.note_change(pool);
    CHECK(doubts.of(trial) == nullptr);
    CHECK(doubts.of(TrialId{4})->on_nodes == ids({2, 3}));
    pool.lose(SlotId{3});
    doubts.note_change(pool);
    CHECK(doubts.of(TrialId{4})->on_nodes == ids({2}));
    doubts.forget(TrialId{4});
    CHECK_FALSE(doubts.any());
}

TEST_CASE("a doubt covers the node if there are others, otherwise the slot, but never the only slot of a sweep") {
    SlotDoubts doubts;
    const auto several = pool_of({2, 2});
    doubts.note_failure(trial, SlotId{0}, false, several);
    CHECK(doubts.doubts(trial, SlotId{0}, several));
    CHECK(doubts.doubts(trial, SlotId{1}, several));
    CHECK_FALSE(doubts.doubts(trial, SlotId{2}, several));
    CHECK_FALSE(doubts.doubts(TrialId{4}, SlotId{0}, several));

    auto one = pool_of({2});
    doubts.note_change(one);
    CHECK(doubts.doubts(trial, SlotId{0}, one));
    CHECK_FALSE(doubts.doubts(trial, SlotId{1}, one));

    one.lose(SlotId{1});
    doubts.note_change(one);
    CHECK_FALSE(doubts.doubts(trial, SlotId{0}, one));
}
