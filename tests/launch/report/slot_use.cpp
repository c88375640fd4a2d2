#include "launch/report/slot_use.hpp"

#include <doctest/doctest.h>

using namespace crescendo;
using namespace crescendo::launch;

namespace {

Span span(double from, double to, int num_slots) {
    Span result{TrialId{0}, from, to, {}};
    for (int slot = 0; slot < num_slots; ++slot) {
        result.slots.push_back(SlotId{slot});
    }
    return result;
}

Lane lane(int slot, double from, double to) { return {SlotId{slot}, NodeId{0}, from, to}; }

}  // namespace

TEST_CASE("the use of slots is averaged over each step of time") {
    // Two slots for 4 s; one in use from 0 to 1, both from 1 to 2.
    const auto use = slot_use({span(0, 1, 1), span(1, 2, 2)}, {lane(0, 0, 4), lane(1, 0, 4)}, 4, 2);

    CHECK(use.step == 2);
    CHECK(use.there == std::vector<double>{2, 2});
    CHECK(use.held == std::vector<double>{1.5, 0});
}

TEST_CASE("a slot counts only while the sweep has it") {
    const auto use = slot_use({span(0, 1, 1)}, {lane(0, 0, 1)}, 2, 2);

    CHECK(use.there == std::vector<double>{1, 0});
}

TEST_CASE("a sweep without time has no slot use") { CHECK(slot_use({}, {}, 0, 10).held.empty()); }

TEST_CASE("slot-seconds add up over the groups of all trials") {
    // 1 slot for 2 s, then 3 slots.
    CHECK(slot_seconds_at({span(0, 2, 1), span(2, 4, 3)}, {0, 1, 2, 3, 10}) == std::vector<double>{0, 1, 2, 5, 8});
}
