#pragma once

#include <ATen/core/ivalue.h>

#include <functional>

#include "trainer/device/nccl/nccl_abi.hpp"

namespace crescendo::trainer {

/// Where a device carries out collectives, one after the other, beside what it computes: a stream of CUDA's.
class DeviceQueue {
  public:
    virtual ~DeviceQueue() = default;

    /// The queue as NCCL takes it.
    virtual nccl::Stream stream() const = 0;

    /// What enters the queue from now on begins after all that this thread has asked the device to compute.
    virtual void begin_after_computing() = 0;

    /// Returns a function that says whether the queue has done all that is in it now.
    virtual std::function<bool()> mark() = 0;

    /// Completes `future`, so that what is computed by those who have waited for it comes after all that is in the
    /// queue now. Where the host computes, it calls `wait` first, which waits for the queue.
    virtual void complete(c10::ivalue::Future& future, const c10::IValue& value, const std::function<void()>& wait) = 0;
};

}  // namespace crescendo::trainer
