#pragma once

#include "tests/trainer/device/fake_nccl/host_stream.hpp"
#include "trainer/device/nccl/device_queue.hpp"

namespace crescendo::trainer::test {

/// The queue of a device that is the host itself. The host computes synchronously and waits for results.
class HostQueue : public DeviceQueue {
  public:
    nccl::Stream stream() const override { return &stream_; }

    void begin_after_computing() override {}

    std::function<bool()> mark() override {
        return [passed = stream_.mark()] { return passed->load(); };
    }

    void complete(c10::ivalue::Future& future, const c10::IValue& value, const std::function<void()>& wait) override {
        wait();
        future.markCompleted(value);
    }

  protected:
    mutable HostStream stream_;
};

}  // namespace crescendo::trainer::test
