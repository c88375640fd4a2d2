#pragma once

#include "tests/await.hpp"
#include "tests/trainer/device/fake_nccl/fake_nccl.hpp"
#include "tests/trainer/fake_crescendo.hpp"
#include "tests/trainer/sweep_fixture.hpp"

namespace crescendo::trainer::test {

/// Recording trainers that communicate like trainers on CPUs.
struct OverGloo {
    static Environment recording(const SweepFixture& sweep, int gate_step = -1) { return sweep.recording(gate_step); }
    /// Orders do not interrupt a collective in which all peers have done their part.
    static void await_member(const SweepFixture&) {}
};

/// Recording trainers that communicate like trainers on GPUs, over the fake NCCL. The sweep's folder holds the orders
/// for what should go wrong with it.
struct OverNccl {
    static Environment recording(const SweepFixture& sweep, int gate_step = -1) {
        Environment variables = sweep.recording(gate_step);
        variables.emplace_back("TEST_NCCL", "yes");
        variables.emplace_back("FAKE_NCCL", sweep.folder.path().string());
        return variables;
    }
    /// Waits until member 1 has seen the end of all collectives that rank 0 has finished. Before that, an order may
    /// interrupt the last collective, because the host waits for the fake's collectives as it requests them.
    static void await_member(const SweepFixture& sweep) {
        tests::await("member 1", [&] {
            return content(finished_file(sweep.folder.path(), 1)) == content(finished_file(sweep.folder.path(), 0));
        });
    }
};

}  // namespace crescendo::trainer::test
