#include "launch/node_resources.hpp"

#include <doctest/doctest.h>

using namespace crescendo::launch;

TEST_CASE("CPU slots share the cores") {
    const NodeResources node{{}, 16};

    CHECK(SlotPlan::make(node, {}, 1).num_slots == 16);
    CHECK(SlotPlan::make(node, {}, 4).num_slots == 4);
    CHECK(SlotPlan::make(node, {}, 4).threads == 4);
    CHECK(SlotPlan::make(node, 8, 4).threads == 2);  // 8 × 4 would be twice the cores
}

TEST_CASE("more slots than cores get a thread each") {
    const auto plan = SlotPlan::make(NodeResources{{}, 2}, 5, 1);

    CHECK(plan.num_slots == 5);
    CHECK(plan.threads == 1);
}

TEST_CASE("a node with GPUs has a slot for each, and the cores are theirs") {
    const NodeResources node{{"0", "3"}, 16};

    CHECK(SlotPlan::make(node, {}, 1).num_slots == 2);
    CHECK(SlotPlan::make(node, {}, 1).threads == 8);
    CHECK(SlotPlan::make(node, 4, 1).threads == 4);  // two workers share a GPU
}

TEST_CASE("fewer cores than a slot asks for still make one slot") {
    CHECK(SlotPlan::make(NodeResources{{}, 2}, {}, 8).num_slots == 1);
    CHECK(SlotPlan::make(NodeResources{{}, 2}, {}, 8).threads == 2);
}
