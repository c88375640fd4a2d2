#pragma once

#include "tests/await.hpp"
#include "tests/trainer/device/fake_nccl/fake_nccl.hpp"
#include "tests/trainer/fake_crescendo.hpp"
#include "tests/trainer/sweep_fixture.hpp"

namespace crescendo::trainer::test {

/// Recording trainers that talk as trainers on CPUs do.
struct OverGloo {
    static Environment recording(const SweepFixture& sweep, int gate_step = -1) { return sweep.recording(gate_step); }
    /// No order ends the wait for a collective whose peers have done their part.
    static void await_member(const SweepFixture&) {}
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
    /// Waits until member 1 has seen the end of all collectives that rank 0 has. An order that comes while it waits for
    /// the last one may end its part, as a host waits for the fake's collectives where they are asked for.
    static void await_member(const SweepFixture& sweep) {
        tests::await("member 1", [&] {
            return content(finished_file(sweep.folder.path(), 1)) == content(finished_file(sweep.folder.path(), 0));
        });
    }
};

}  // namespace crescendo::trainer::test
