#pragma once

#include <memory>

#include "trainer/device/device.hpp"

namespace crescendo::trainer::test {

/// A CPU that forms its groups like a GPU, over the fake NCCL. Each device counts as a separate GPU.
std::unique_ptr<Device> make_fake_nccl_device();

}  // namespace crescendo::trainer::test
