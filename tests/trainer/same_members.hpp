#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "tests/trainer/checkpoints.hpp"
#include "tests/trainer/fake_crescendo.hpp"
#include "tests/trainer/gate.hpp"
#include "tests/trainer/sweep_fixture.hpp"
#include "tests/trainer/torch_doctest.hpp"
#include "tests/trainer/transports.hpp"

namespace crescendo::trainer::test {

/// Trains an epoch with these settings, in which all members leave their group in mid-epoch and meet again, and an
/// undisturbed epoch. Checks that both checkpoints are bit-identical. They include the report, so the evaluations of
/// all members are compared as well. Returns the undisturbed checkpoint.
template <class Transport = OverGloo>
auto check_regroup_to_same_members(const SweepFixture& sweep, const std::vector<int>& members, const Json& settings) {
    const int num_members = static_cast<int>(members.size());
    const auto terms_of = [&](const std::string& name) {
        Terms terms = sweep.terms(name);
        terms.settings.update(settings);
        terms.batch_multiple = num_members;
        terms.max_resource = terms.checkpoint_at.emplace(1);
        std::filesystem::create_directory(terms.directory);
        return terms;
    };
    const Terms undisturbed = terms_of("undisturbed");
    const Terms regrouped = terms_of("regrouped");
    {
        FakeCrescendo crescendo(num_members, "recording-trainer", Transport::recording(sweep, /*gate_step=*/2));
        train_up_to_gate(crescendo, sweep, members, regrouped, /*gate_step=*/2);
        crescendo.join(members, "memory", regrouped);
        sweep.open_gate();
        CHECK(crescendo.await(0, "report")["generation"] == 2);
    }
    FakeCrescendo crescendo(num_members, "recording-trainer", Transport::recording(sweep));
    crescendo.train(members, "new", undisturbed, 1);

    auto checkpoint = load(undisturbed.directory / "checkpoint.pt");
    CHECK(same_state(checkpoint, load(regrouped.directory / "checkpoint.pt")));
    return checkpoint;
}

}  // namespace crescendo::trainer::test
