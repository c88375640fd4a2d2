#include "launch/coordinator/slot_health.hpp"

#include <doctest/doctest.h>

#include <functional>

using namespace crescendo;
using namespace crescendo::launch;

namespace {

using SlotSet = std::set<SlotId>;

constexpr SlotId good{0};
constexpr SlotId bad{1};

/// Counts these numbers of trials that have reported and that have failed.
std::function<SlotHealth::Record()> counted(int num_reported, int num_failed) {
    return [=] { return SlotHealth::Record{num_reported, num_failed}; };
}

/// Slots 0, 1, …, with `slots_per_node` of them on each node.
std::vector<Slot> slots_on_nodes(int num_nodes, int slots_per_node) {
    std::vector<Slot> slots;
    for (int i = 0; i < num_nodes * slots_per_node; ++i) {
        slots.push_back({SlotId{i}, NodeId{i / slots_per_node}});
    }
    return slots;
}

/// One node with slots 0, 1, …; slot i is on GPU i % num_gpus.
std::vector<Slot> slots_on_gpus(int num_gpus, int slots_per_gpu) {
    std::vector<Slot> slots;
    for (int i = 0; i < num_gpus * slots_per_gpu; ++i) {
        slots.push_back({SlotId{i}, NodeId{0}, i % num_gpus});
    }
    return slots;
}

}  // namespace

TEST_CASE("a slot where three trials fail in a row is bad, but its neighbour is not") {
    SlotHealth health(slots_on_nodes(1, 2));

    CHECK(health.note_failure(bad, TrialId{1}, counted(1, 1)).empty());
    CHECK(health.note_failure(bad, TrialId{2}, counted(1, 2)).empty());          // 3 trials x (0.5 / 2)^2 = 0.19
    CHECK(health.note_failure(bad, TrialId{3}, counted(1, 3)) == SlotSet{bad});  // 4 trials x (0.5 / 2)^3 = 0.06
    CHECK(health.note_failure(bad, TrialId{4}, counted(1, 4)).empty());          // no longer in use
}

TEST_CASE("trials are counted only where several failed in a row on a slot") {
    SlotHealth health(slots_on_nodes(1, 2));
    int num_counts = 0;
    const auto count = [&] {
        ++num_counts;
        return SlotHealth::Record{1, num_counts};
    };

    health.note_failure(bad, TrialId{1}, count);
    CHECK(num_counts == 0);

    health.note_failure(bad, TrialId{2}, count);
    CHECK(num_counts > 0);
}

TEST_CASE("reports from the neighbours of a bad slot do not speak for it") {
    SlotHealth health(slots_on_nodes(1, 2));
    health.note_failure(bad, TrialId{1}, counted(1, 1));
    health.note_failure(bad, TrialId{2}, counted(1, 2));

    health.note_progress({good});

    CHECK(health.note_failure(bad, TrialId{3}, counted(1, 3)) == SlotSet{bad});
}

TEST_CASE("the more trials succeed elsewhere, the fewer failures make a slot bad") {
    SlotHealth health(slots_on_nodes(1, 2));

    CHECK(health.note_failure(bad, TrialId{1}, counted(20, 1)).empty());
    CHECK(health.note_failure(bad, TrialId{2}, counted(20, 2)) == SlotSet{bad});
}

TEST_CASE("if every third trial fails, failures in a row are no slot's fault") {
    SlotHealth health(slots_on_nodes(1, 2));

    for (int trial = 0; trial < 5; ++trial) {  // 1,000 such trials have 1000 x (1/3)^5 = 4 rows of five
        CHECK(health.note_failure(bad, TrialId{trial}, counted(667, 333 + trial)).empty());
    }
}

TEST_CASE("a trial that fails again and again does not make its slot bad") {
    SlotHealth health(slots_on_nodes(1, 2));

    for (int i = 0; i < 9; ++i) {
        CHECK(health.note_failure(bad, TrialId{1}, counted(20, 1)).empty());
    }
}

TEST_CASE("a trial that failed elsewhere before does not make the slot of its next attempt bad") {
    SlotHealth health(slots_on_nodes(1, 3));

    for (int trial = 0; trial < 9; ++trial) {
        CHECK(health.note_failure(SlotId{1}, TrialId{trial}, counted(20, trial + 1)).empty());
        CHECK(health.note_failure(SlotId{2}, TrialId{trial}, counted(20, trial + 1)).empty());
    }

    // Those nine failed elsewhere: 34 trials x (9.5 / 30)^5 = 0.11, and 35 x (9.5 / 30)^6 = 0.04.
    for (int trial = 10; trial < 15; ++trial) {
        CHECK(health.note_failure(SlotId{2}, TrialId{trial}, counted(20, trial)).empty());
    }
    CHECK(health.note_failure(SlotId{2}, TrialId{15}, counted(20, 15)) == SlotSet{SlotId{2}});
}

TEST_CASE("a trial that fails again on another slot of the same node counts against the node") {
    SlotHealth health(slots_on_nodes(2, 2));

    CHECK(health.note_failure(SlotId{2}, TrialId{1}, counted(20, 1)).empty());
    CHECK(health.note_failure(SlotId{3}, TrialId{1}, counted(20, 1)).empty());
    CHECK(health.note_failure(SlotId{2}, TrialId{2}, counted(20, 2)) == SlotSet{SlotId{2}, SlotId{3}});
}

TEST_CASE("a failure on a slot that is left out says nothing against the trial") {
    SlotHealth health(slots_on_nodes(1, 3));
    health.note_failure(SlotId{1}, TrialId{1}, counted(20, 1));
    REQUIRE(health.note_failure(SlotId{1}, TrialId{2}, counted(20, 2)) == SlotSet{SlotId{1}});

    CHECK(health.note_failure(SlotId{2}, TrialId{1}, counted(20, 2)).empty());
    CHECK(health.note_failure(SlotId{2}, TrialId{2}, counted(20, 2)) == SlotSet{SlotId{2}});
}

TEST_CASE("failures from before a slot was lost do not count when it is back") {
    SlotHealth health(slots_on_nodes(1, 2));
    health.note_failure(bad, TrialId{1}, counted(20, 1));

    health.note_lost({bad});
    health.note_joined({bad, NodeId{0}});

    CHECK(health.note_failure(bad, TrialId{2}, counted(20, 2)).empty());
}

TEST_CASE("if workers fail on every slot, no slot is at fault") {
    SlotHealth health(slots_on_nodes(1, 2));

    for (int trial = 0; trial < 9; ++trial) {
        CHECK(health.note_failure(SlotId{trial % 2}, TrialId{trial}, counted(20, trial)).empty());
    }
    health.note_progress({good});
    CHECK(health.note_failure(bad, TrialId{9}, counted(20, 10)) == SlotSet{bad});
}

TEST_CASE("a node whose slots all fail is bad as a whole, before each slot has failed often enough") {
    SlotHealth health(slots_on_nodes(2, 3));

    CHECK(health.note_failure(SlotId{3}, TrialId{1}, counted(3, 1)).empty());
    CHECK(health.note_failure(SlotId{4}, TrialId{2}, counted(3, 2)).empty());
    CHECK(health.note_failure(SlotId{5}, TrialId{3}, counted(3, 3)) == SlotSet{SlotId{3}, SlotId{4}, SlotId{5}});
}

TEST_CASE("a GPU whose slots are all in doubt is bad as a whole once one of them is bad") {
    SlotHealth health(slots_on_gpus(/*num_gpus=*/2, /*slots_per_gpu=*/4));  // GPU 1 has slots 1, 3, 5 and 7
    for (int i = 0; i < 4; ++i) {
        CHECK(health.note_failure(SlotId{1 + 2 * i}, TrialId{i}, counted(20, 1 + i)).empty());
    }

    // No trial failed elsewhere: 22 trials x (0.5 / 21)^2 = 0.01
    CHECK(health.note_failure(SlotId{5}, TrialId{4}, counted(20, 5)) ==
          SlotSet{SlotId{1}, SlotId{3}, SlotId{5}, SlotId{7}});
}

TEST_CASE("a GPU is bad as a whole whatever happens on the GPU with its number on another node") {
    auto slots = slots_on_gpus(/*num_gpus=*/1, /*slots_per_gpu=*/2);
    slots.push_back({SlotId{2}, NodeId{0}, 1});
    slots.push_back({SlotId{3}, NodeId{1}, 0});
    SlotHealth health(slots);
    health.note_failure(SlotId{0}, TrialId{1}, counted(20, 1));
    health.note_failure(SlotId{1}, TrialId{2}, counted(20, 2));

    CHECK(health.note_failure(SlotId{0}, TrialId{3}, counted(20, 3)) == SlotSet{SlotId{0}, SlotId{1}});
}

TEST_CASE("only the bad slot is left out while a neighbour on its GPU makes progress") {
    SlotHealth health(slots_on_gpus(2, 2));
    health.note_failure(SlotId{3}, TrialId{1}, counted(40, 1));
    health.note_failure(SlotId{1}, TrialId{2}, counted(40, 2));

    health.note_progress({SlotId{3}});

    CHECK(health.note_failure(SlotId{1}, TrialId{3}, counted(40, 3)) == SlotSet{SlotId{1}});
}

TEST_CASE("a trial that brings down all others on its GPU makes neither the GPU nor the node bad") {
    SlotHealth gpu(slots_on_gpus(2, 8));
    for (int i = 0; i < 8; ++i) {
        CHECK(gpu.note_failure(SlotId{1 + 2 * i}, TrialId{i}, counted(40, 1 + i)).empty());
    }

    auto slots = slots_on_gpus(1, 8);
    slots.push_back({SlotId{8}, NodeId{1}});
    SlotHealth node(slots);
    for (int i = 0; i < 8; ++i) {
        CHECK(node.note_failure(SlotId{i}, TrialId{i}, counted(40, 1 + i)).empty());
    }
}

TEST_CASE("progress on a slot ends its series of failures") {
    SlotHealth health(slots_on_nodes(1, 2));
    health.note_failure(bad, TrialId{1}, counted(1, 1));
    health.note_failure(bad, TrialId{2}, counted(1, 2));

    CHECK(health.has_doubts());
    health.note_progress({good, bad});

    CHECK_FALSE(health.has_doubts());
    CHECK(health.note_failure(bad, TrialId{3}, counted(1, 3)).empty());
}

TEST_CASE("the last slot in use is kept, whatever happens on it") {
    SlotHealth health(slots_on_nodes(1, 2));
    health.note_lost({good});

    for (int trial = 0; trial < 9; ++trial) {
        CHECK(health.note_failure(bad, TrialId{trial}, counted(20, trial)).empty());
    }
    health.note_joined({good, NodeId{0}});
    CHECK(health.note_failure(bad, TrialId{9}, counted(20, 10)) == SlotSet{bad});
}
