#pragma once

#include <ATen/core/ivalue.h>

#include <functional>

#include "trainer/device/nccl/nccl_abi.hpp"

namespace crescendo::trainer {

/// The queue in which a device runs collectives, one after the other, while it computes: a CUDA stream.
class DeviceQueue {
  public:
    virtual ~DeviceQueue() = default;

    /// The queue's handle for NCCL.
    virtual nccl::Stream stream() const = 0;

    /// Work that enters the queue from now on starts after everything that this thread has queued for computation.
    virtual void begin_after_computing() = 0;

    /// Returns a function that tells whether the queue has finished everything that is in it now.
    virtual std::function<bool()> mark() = 0;

    /// Completes `future`: computation that waits for it runs after everything that is in the queue now. If the host
    /// computes, this first calls `wait`, which waits for the queue.
    virtual void complete(c10::ivalue::Future& future, const c10::IValue& value, const std::function<void()>& wait) = 0;
};

}  // namespace crescendo::trainer
