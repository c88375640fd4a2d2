#include "scheduler/slots/allocator.hpp"

#include <doctest/doctest.h>

#include <limits>

using namespace crescendo;

namespace {

SchedulerSpec rasda(int workers, int scaling) {
    SchedulerSpec spec;
    spec.kind = SchedulerKind::rasda;
    spec.workers = workers;
    spec.scaling_factor = scaling;
    return spec;
}

std::vector<Slot> slots(int first, int count) {
    std::vector<Slot> slots;
    for (int i = 0; i < count; ++i) {
        slots.push_back({SlotId{first + i}, NodeId{0}});
    }
    return slots;
}

Allocator allocator_with(const SchedulerSpec& spec, int num_slots) {
    Allocator allocator{spec};
    allocator.join(slots(0, num_slots));
    return allocator;
}

/// The size of a new group whose trial has survived this many rungs.
std::size_t size_of_group(Allocator allocator, int rungs_survived) {
    std::vector<SlotId> group;
    allocator.grow(group, rungs_survived);
    return group.size();
}

}  // namespace

TEST_CASE("each rung multiplies the target by the scaling factor, up to max_workers") {
    auto spec = rasda(/*workers=*/2, /*scaling=*/3);
    spec.max_workers = 20;
    const Allocator allocator{spec};

    CHECK(allocator.target_workers(0) == 2);
    CHECK(allocator.target_workers(1) == 6);
    CHECK(allocator.target_workers(2) == 18);
    CHECK(allocator.target_workers(3) == 20);
    CHECK(allocator.target_workers(60) == 20);
}

TEST_CASE("targets do not overflow") {
    auto spec = rasda(1, std::numeric_limits<int>::max());
    spec.max_workers = std::numeric_limits<int>::max();

    CHECK(Allocator{spec}.target_workers(5) == std::numeric_limits<int>::max());
}

TEST_CASE("targets stay constant without rasda or with a scaling factor of 1") {
    auto asha = rasda(2, 3);
    asha.kind = SchedulerKind::asha;

    CHECK(allocator_with(asha, 16).target_workers(4) == 2);
    CHECK(allocator_with(rasda(2, 1), 16).target_workers(4) == 2);
}

TEST_CASE("the first slots that join fix max_workers permanently") {
    Allocator allocator{rasda(1, 2)};
    CHECK(allocator.max_workers() == 0);

    allocator.join(slots(0, 3));
    allocator.join(slots(3, 5));

    CHECK(allocator.max_workers() == 3);
    CHECK(allocator.target_workers(9) == 3);
}

TEST_CASE("a given max_workers overrides the number of slots, whether larger or smaller") {
    auto spec = rasda(1, 2);
    spec.max_workers = 2;
    CHECK(allocator_with(spec, 8).max_workers() == 2);

    spec.max_workers = 100;
    CHECK(allocator_with(spec, 8).max_workers() == 100);
}

TEST_CASE("a trial never has more workers than there are slots") {
    CHECK(allocator_with(rasda(4, 2), 3).target_workers(0) == 3);
    CHECK(size_of_group(allocator_with(rasda(4, 2), 3), 0) == 3);
}

TEST_CASE("a group takes the largest size of its ladder that the free slots allow") {
    auto spec = rasda(1, 2);
    spec.max_workers = 6;  // sizes 1, 2, 4, 6

    CHECK(size_of_group(allocator_with(spec, 1), 3) == 1);
    CHECK(size_of_group(allocator_with(spec, 3), 3) == 2);
    CHECK(size_of_group(allocator_with(spec, 5), 3) == 4);
    CHECK(size_of_group(allocator_with(spec, 6), 3) == 6);
    CHECK(size_of_group(allocator_with(spec, 9), 3) == 6);
    CHECK(size_of_group(allocator_with(spec, 9), 1) == 2);
}

TEST_CASE("a group does not wait for a size that will never fit") {
    auto spec = rasda(1, 10);
    spec.max_workers = 10;
    auto allocator = allocator_with(spec, 4);
    std::vector<SlotId> group{};
    allocator.grow(group, 0);

    CHECK_FALSE(allocator.grow(group, 1));  // 10 of 4
    CHECK(group.size() == 1);
    CHECK(allocator.pool().num_free() == 3);
}

TEST_CASE("a new group is never smaller than the size that a trial starts with") {
    auto allocator = allocator_with(rasda(4, 2), 7);
    std::vector<SlotId> first;
    std::vector<SlotId> second;

    CHECK(allocator.grow(first, 0));
    CHECK_FALSE(allocator.grow(second, 0));  // 3 are free
    CHECK_FALSE(allocator.grow(second, 2));
    CHECK(second.empty());
}

TEST_CASE("after a loss, a trial starts with the remaining slots") {
    auto allocator = allocator_with(rasda(4, 2), 4);

    allocator.lose({SlotId{0}});

    CHECK(size_of_group(allocator, 0) == 3);
}

TEST_CASE("a group keeps its slots, in their order, when it grows") {
    auto allocator = allocator_with(rasda(2, 2), 5);
    std::vector<SlotId> other;
    std::vector<SlotId> group;
    allocator.grow(other, 0);
    allocator.grow(group, 0);
    allocator.release(other);

    CHECK(allocator.grow(group, 1));
    CHECK(group == std::vector{SlotId{2}, SlotId{3}, SlotId{0}, SlotId{1}});
    CHECK_FALSE(allocator.grow(group, 1));
}

TEST_CASE("a group cannot grow without slots") {
    std::vector<SlotId> group;

    CHECK_FALSE(Allocator{rasda(1, 2)}.grow(group, 0));
}
