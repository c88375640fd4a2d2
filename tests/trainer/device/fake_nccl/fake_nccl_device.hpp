#pragma once

#include <memory>

#include "trainer/device/device.hpp"

namespace crescendo::trainer::test {

/// A CPU whose groups are made as a GPU's are, over the fake NCCL. Each one counts as a GPU of its own.
std::unique_ptr<Device> make_fake_nccl_device();

}  // namespace crescendo::trainer::test
