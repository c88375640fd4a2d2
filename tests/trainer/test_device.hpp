#pragma once

#include <ATen/Parallel.h>

#include <cstdlib>
#include <memory>
#include <string>

#include "core/trial_protocol.hpp"
#include "trainer/device/device.hpp"

namespace crescendo::trainer::test {

/// The device for the tests, from the variable that crescendo-trainer reads. It is a CPU unless scripts/gpu_check.sh
/// sets cuda.
inline std::string device_name() {
    const char* name = std::getenv(protocol::device_variable);
    return name != nullptr ? name : "cpu";
}

inline bool on_gpu() { return device_name() == "cuda"; }

/// The device uses one thread, like a worker with one core, because other tests run at the same time.
inline std::unique_ptr<Device> make_test_device() {
    at::set_num_threads(1);
    return on_gpu() ? load_cuda_device() : make_cpu_device();
}

/// How far weights may differ if sums were computed in another order. A GPU adds up products in long rows.
inline double tolerance() { return on_gpu() ? 1e-4 : 1e-5; }

}  // namespace crescendo::trainer::test
