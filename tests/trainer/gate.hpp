#pragma once

#include <vector>

#include "tests/trainer/fake_crescendo.hpp"
#include "tests/trainer/record.hpp"
#include "tests/trainer/sweep_fixture.hpp"

namespace crescendo::trainer::test {

/// Starts a trial and waits until all members have completed `gate_step`, after which recording trainers wait.
inline void train_up_to_gate(FakeCrescendo& crescendo, const SweepFixture& sweep, const std::vector<int>& members,
                             const Terms& terms, int gate_step) {
    crescendo.join(members, "new", terms);
    crescendo.await(members.front(), "regrouped");  // which means that the store is no longer needed
    await_step(sweep.record(), gate_step, static_cast<int>(members.size()));
}

}  // namespace crescendo::trainer::test
