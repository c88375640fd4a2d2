#pragma once

#include <vector>

#include "tests/trainer/checkpoints.hpp"
#include "tests/trainer/fake_crescendo.hpp"
#include "tests/trainer/gate.hpp"
#include "tests/trainer/sweep_fixture.hpp"
#include "tests/trainer/torch_doctest.hpp"
#include "tests/trainer/transports.hpp"

namespace crescendo::trainer::test {

/// Trains an epoch with `regrouped`, in which all members leave their group in mid-epoch and meet again, and an epoch
/// with `undisturbed`. Checks that both checkpoints are bit-identical. They include the report, so the evaluations of
/// all members are compared as well.
template <class Transport = OverGloo>
void check_regroup_to_same_members(const SweepFixture& sweep, const std::vector<int>& members, const Terms& undisturbed,
                                   const Terms& regrouped) {
    const int num_members = static_cast<int>(members.size());
    {
        FakeCrescendo crescendo(num_members, "recording-trainer", Transport::recording(sweep, /*gate_step=*/2));
        train_up_to_gate(crescendo, sweep, members, regrouped, /*gate_step=*/2);
        crescendo.join(members, "memory", regrouped);
        sweep.open_gate();
        CHECK(crescendo.await(0, "report")["generation"] == 2);
    }
    FakeCrescendo crescendo(num_members, "recording-trainer", Transport::recording(sweep));
    crescendo.train(members, "new", undisturbed, 1);

    CHECK(same_state(load(undisturbed.directory / "checkpoint.pt"), load(regrouped.directory / "checkpoint.pt")));
}

}  // namespace crescendo::trainer::test
