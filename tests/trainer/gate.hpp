#pragma once

#include <vector>

#include "tests/trainer/fake_crescendo.hpp"
#include "tests/trainer/record.hpp"
#include "tests/trainer/sweep_fixture.hpp"

namespace crescendo::trainer::test {

/// Begins a trial, and waits until all members have made the step after which recording trainers wait at the gate.
inline void train_up_to_gate(FakeCrescendo& crescendo, const SweepFixture& sweep, const std::vector<int>& members,
                             const Terms& terms, int gate_step) {
    crescendo.join(members, "new", terms);
    crescendo.await(members.front(), "regrouped");  // the store has been served
    await_step(sweep.record(), gate_step, static_cast<int>(members.size()));
}

}  // namespace crescendo::trainer::test
