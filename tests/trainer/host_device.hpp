#pragma once

#include <memory_resource>

#include "trainer/device/device.hpp"

namespace crescendo::trainer::test {

/// The host's processor, for tests with their own groups.
class HostDevice : public Device {
  public:
    at::Device place() const override { return at::kCPU; }
    std::pmr::memory_resource& staging_memory() const override { return *std::pmr::new_delete_resource(); }
    at::Tensor upload(const at::Tensor& host) const override { return host; }
    bool idle() const override { return true; }
    void give_back_memory() const override {}
};

}  // namespace crescendo::trainer::test
