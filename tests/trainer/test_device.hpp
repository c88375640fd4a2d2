#pragma once

#include <ATen/Parallel.h>

#include <cstdlib>
#include <memory>
#include <string>

#include "core/trial_protocol.hpp"
#include "trainer/device/device.hpp"

namespace crescendo::trainer::test {

/// The device of the tests, by the variable that crescendo-trainer has it by: a CPU, unless scripts/gpu_check.sh says
/// cuda.
inline std::string device_name() {
    const char* name = std::getenv(protocol::device_variable);
    return name != nullptr ? name : "cpu";
}

inline bool on_gpu() { return device_name() == "cuda"; }

/// It computes in one thread, as a worker of one core does: tests run beside others.
inline std::unique_ptr<Device> make_test_device() {
    at::set_num_threads(1);
    return on_gpu() ? load_cuda_device() : make_cpu_device();
}

/// How far weights may differ that were trained with sums in another order. A GPU adds products up in long rows.
inline double tolerance() { return on_gpu() ? 1e-4 : 1e-5; }

}  // namespace crescendo::trainer::test
