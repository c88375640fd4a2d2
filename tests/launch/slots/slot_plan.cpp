#include "launch/slots/slot_plan.hpp"

#include <doctest/doctest.h>

#include <set>

using namespace crescendo::launch;

namespace {

using Cpus = std::vector<int>;

NodeResources machine(const std::string& description, std::vector<Gpu> gpus = {}) {
    return {std::move(gpus), cores_of(description)};
}

std::vector<Cpus> cpus_of(const SlotPlan& plan) {
    std::vector<Cpus> result;
    for (const auto& slot : plan.slots) {
        result.push_back(slot.cpus);
    }
    return result;
}

std::vector<std::string> gpus_of(const SlotPlan& plan) {
    std::vector<std::string> result;
    for (const auto& slot : plan.slots) {
        result.push_back(slot.gpu);
    }
    return result;
}

bool are_disjoint(const SlotPlan& plan) {
    std::set<int> seen;
    for (const auto& slot : plan.slots) {
        for (const int cpu : slot.cpus) {
            if (!seen.insert(cpu).second) {
                return false;
            }
        }
    }
    return true;
}

}  // namespace

TEST_CASE("a machine with one core has one slot, bound to that core") {
    const auto plan = SlotPlan::make(machine("core:1 pu:1"), {});

    CHECK(cpus_of(plan) == std::vector<Cpus>{{0}});
    CHECK(plan.slots[0].threads == 1);
}

TEST_CASE("slots are whole cores with all their hardware threads") {
    const auto plan = SlotPlan::make(machine("numa:2 core:4 pu:2"), {});

    CHECK(plan.num_slots() == 8);  // not 16
    CHECK(plan.slots[0].cpus == Cpus{0, 1});
    CHECK(plan.slots[7].cpus == Cpus{14, 15});
    CHECK(plan.slots[7].threads == 1);
    CHECK(plan.slots[7].numa == 1);
}

TEST_CASE("the cores of a slot lie on one NUMA node, and slots spread over the nodes") {
    const auto two = SlotPlan::make(machine("numa:2 core:4 pu:1"), {.slots = 2, .cpus_per_slot = 3});
    CHECK(cpus_of(two) == std::vector<Cpus>{{0, 1, 2}, {4, 5, 6}});
    CHECK(two.slots[1].numa == 1);

    // Two fit on each node of five cores; the fifth takes what is left on both.
    const auto five = SlotPlan::make(machine("numa:2 core:5 pu:1"), {.cpus_per_slot = 2});
    CHECK(cpus_of(five) == std::vector<Cpus>{{0, 1}, {2, 3}, {4, 9}, {5, 6}, {7, 8}});
    CHECK_FALSE(five.slots[2].numa.has_value());
}

TEST_CASE("consecutive slots lie close together") {
    const auto plan = SlotPlan::make(machine("numa:2 core:2 pu:1"), {});

    CHECK(cpus_of(plan) == std::vector<Cpus>{{0}, {1}, {2}, {3}});
}

TEST_CASE("slots that outnumber the cores get one thread each and are not bound") {
    const auto plan = SlotPlan::make(machine("core:2 pu:2"), {.slots = 5});

    CHECK(plan.num_slots() == 5);
    CHECK(plan.slots[0].threads == 1);
    CHECK(plan.slots[0].cpus.empty());
    CHECK(plan.unbound == "there are more slots than cores");
}

TEST_CASE("slots share the cores if there are too few for their requests") {
    const auto plan = SlotPlan::make(machine("core:16 pu:1"), {.slots = 8, .cpus_per_slot = 4});
    CHECK(plan.slots[0].threads == 2);
    CHECK(plan.slots[0].cpus.size() == 2);

    const auto one = SlotPlan::make(machine("core:2 pu:1"), {.cpus_per_slot = 8});
    CHECK(one.num_slots() == 1);
    CHECK(one.slots[0].threads == 2);
}

TEST_CASE("each GPU is a slot with its share of the cores of its NUMA node") {
    const auto plan = SlotPlan::make(machine("numa:2 core:4 pu:1", {{"3", 1}, {"0", 0}}), {});

    CHECK(plan.slots[0].gpu == "3");
    CHECK(plan.slots[0].cpus == Cpus{4, 5, 6, 7});
    CHECK(plan.slots[1].cpus == Cpus{0, 1, 2, 3});
    CHECK(plan.slots[1].threads == 4);
}

TEST_CASE(
    "a GPU with a known NUMA node chooses cores before a GPU without one, and the overflow goes to the other node") {
    const auto plan = SlotPlan::make(machine("numa:2 core:4 pu:1", {{"0", {}}, {"1", 0}, {"2", 0}, {"3", 0}}), {});

    CHECK(cpus_of(plan) == std::vector<Cpus>{{6, 7}, {0, 1}, {2, 3}, {4, 5}});
}

TEST_CASE("two workers that share a GPU have their own cores") {
    const auto plan = SlotPlan::make(machine("core:8 pu:1", {{"0", {}}, {"1", {}}}), {.slots = 4});

    CHECK(plan.slots[2].gpu == "0");
    CHECK(plan.slots[2].threads == 2);
    CHECK(are_disjoint(plan));
}

TEST_CASE("slots on one GPU are as far apart as possible, each with cores near the GPU") {
    const auto plan = SlotPlan::make(machine("numa:2 core:4 pu:1", {{"0", 0}, {"1", 1}}), {.slots_per_gpu = 2});

    REQUIRE(plan.num_slots() == 4);
    CHECK(gpus_of(plan) == std::vector<std::string>{"0", "1", "0", "1"});
    CHECK(cpus_of(plan) == std::vector<Cpus>{{0, 1}, {4, 5}, {2, 3}, {6, 7}});
    CHECK(plan.slots[3].slots_on_gpu == 2);
    CHECK(num_shared_gpus(plan.slots) == 2);
}

TEST_CASE("an aligned block of neighbouring slots lies on different GPUs if there are enough GPUs") {
    const auto plan =
        SlotPlan::make(machine("core:16 pu:1", {{"0", {}}, {"1", {}}, {"2", {}}, {"3", {}}}), {.slots_per_gpu = 4});

    for (std::size_t size : {1, 2, 4}) {
        for (std::size_t begin = 0; begin < plan.slots.size(); begin += size) {
            std::set<std::string> gpus;
            for (std::size_t i = begin; i < begin + size; ++i) {
                gpus.insert(plan.slots[i].gpu);
            }
            CHECK(gpus.size() == size);
        }
    }
}

TEST_CASE("a number of slots overrides slots_per_gpu, and each slot knows how many slots share its GPU") {
    const auto node = machine("core:8 pu:1", {{"0", {}}, {"1", {}}});

    const auto three = SlotPlan::make(node, {.slots = 3, .slots_per_gpu = 4});
    CHECK(gpus_of(three) == std::vector<std::string>{"0", "1", "0"});
    CHECK(three.slots[0].slots_on_gpu == 2);
    CHECK(three.slots[1].slots_on_gpu == 1);

    CHECK(num_shared_gpus(SlotPlan::make(node, {.slots = 1}).slots) == 0);
    CHECK(num_shared_gpus(SlotPlan::make(node, {}).slots) == 0);
}

TEST_CASE("without a GPU, slots_per_gpu changes nothing") {
    const auto plan = SlotPlan::make(machine("core:8 pu:1"), {.cpus_per_slot = 2, .slots_per_gpu = 3});

    CHECK(plan.num_slots() == 4);
    CHECK(plan.slots[0].slots_on_gpu == 1);
    CHECK(num_shared_gpus(plan.slots) == 0);
}

TEST_CASE("an option replaces both the slots and the slots_per_gpu of the file") {
    const SlotPlan::Wishes of_four{.slots = 4};
    const SlotPlan::Wishes shared{.slots_per_gpu = 3};

    CHECK(of_four.with({}, 2).slots_per_gpu == 2);
    CHECK_FALSE(of_four.with({}, 2).slots.has_value());
    CHECK(shared.with(2, {}).slots == 2);
    CHECK(shared.with({}, {}).slots_per_gpu == 3);
}

TEST_CASE("slots are not bound if cores are left over, unless the node is ours or the file insists") {
    auto node = machine("core:4 pu:1");
    SlotPlan::Wishes wishes{.slots = 2, .bind = Binding::automatic};
    CHECK(SlotPlan::make(node, wishes).slots[0].cpus.empty());

    node.allotted = true;
    CHECK(SlotPlan::make(node, wishes).slots[0].cpus == Cpus{0});
    node.allotted = false;
    wishes.bind = Binding::on;
    CHECK(SlotPlan::make(node, wishes).slots[0].cpus == Cpus{0});
    wishes = {.slots = 4, .bind = Binding::automatic};
    CHECK(SlotPlan::make(node, wishes).slots[3].cpus == Cpus{3});
    wishes.bind = Binding::off;
    CHECK(SlotPlan::make(node, wishes).slots[3].cpus.empty());
}

TEST_CASE("a container with a quota of 2 CPUs has 2 slots on a machine with 8 cores") {
    auto node = machine("core:8 pu:1");
    node.cpu_time = 2.5;

    const auto plan = SlotPlan::make(node, {.bind = Binding::automatic});
    CHECK(plan.num_slots() == 2);
    CHECK(plan.slots[0].threads == 1);
    CHECK(plan.slots[0].cpus.empty());  // another container would be bound to the same cores
    CHECK(plan.unbound == "a CPU quota leaves this process the time of 2.5 of the 8 cores, on any of them");

    node.cpu_time = 0.5;
    CHECK(SlotPlan::make(node, {}).num_slots() == 1);
    node.cpu_time = 8;
    CHECK(SlotPlan::make(node, {.bind = Binding::automatic}).slots[7].cpus == Cpus{7});
}

TEST_CASE("no core is in two slots, whatever the machine and the wishes") {
    for (const char* description : {"numa:1 core:1 pu:1", "numa:3 core:5 pu:2", "numa:4 core:1 pu:4"}) {
        for (int slots = 1; slots <= 16; ++slots) {
            for (const int cpus_per_slot : {1, 2, 3, 7}) {
                CAPTURE(description);
                CAPTURE(slots);
                CAPTURE(cpus_per_slot);

                const auto plan =
                    SlotPlan::make(machine(description), {.slots = slots, .cpus_per_slot = cpus_per_slot});

                CHECK(plan.num_slots() == slots);
                CHECK(are_disjoint(plan));
            }
        }
    }
}
