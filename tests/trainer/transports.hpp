#pragma once

#include "tests/trainer/fake_crescendo.hpp"
#include "tests/trainer/sweep_fixture.hpp"

namespace crescendo::trainer::test {

/// Recording trainers that talk as trainers on CPUs do.
struct OverGloo {
    static Environment recording(const SweepFixture& sweep, int gate_step = -1) { return sweep.recording(gate_step); }
};

/// Recording trainers that talk as trainers on GPUs do, through the fake NCCL. What is to go wrong with it lies in the
/// folder of the sweep.
struct OverNccl {
    static Environment recording(const SweepFixture& sweep, int gate_step = -1) {
        Environment variables = sweep.recording(gate_step);
        variables.emplace_back("TEST_NCCL", "yes");
        variables.emplace_back("FAKE_NCCL", sweep.folder.path().string());
        return variables;
    }
};

}  // namespace crescendo::trainer::test
