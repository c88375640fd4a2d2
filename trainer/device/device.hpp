#pragma once

#include <ATen/core/Tensor.h>
#include <c10/util/intrusive_ptr.h>

#include <functional>
#include <memory>
#include <memory_resource>
#include <thread>

#include "trainer/device/patience.hpp"

// Declared here because their headers are among torch's heaviest.
namespace c10d {
class ProcessGroup;
class Store;
}  // namespace c10d

namespace crescendo::trainer {

/// Recorded work of a device, which one call repeats.
class Recording {
  public:
    virtual ~Recording() = default;

    /// Queues the same operations on the same memory.
    virtual void replay() = 0;
};

/// The device on which a worker computes, and the way in which workers on such devices communicate.
class Device {
  public:
    virtual ~Device() = default;

    virtual at::Device place() const = 0;

    /// Host memory in which samples are assembled before they are uploaded. It is page-locked if the device is a GPU.
    /// It may be deallocated while an upload from it is in progress. The resource lives as long as the process.
    virtual std::pmr::memory_resource& staging_memory() const = 0;

    /// Copies a tensor from host memory to this device. On the CPU it returns the same tensor. On a GPU it starts the
    /// copy, which runs while the GPU computes; work that is queued on the GPU from now on waits for the copy. The
    /// host's numbers must not be overwritten before the copy is complete.
    virtual at::Tensor upload(const at::Tensor& host) const = 0;

    /// Whether the device has finished all work that was queued on it.
    virtual bool idle() const = 0;

    /// Whether record() can record; if not, it always returns null.
    virtual bool records() const { return false; }

    /// Calls `work`, and records the operations that it queues on the device instead of computing them. Tensors that
    /// `work` makes lie in memory of the recording, and get their numbers with each replay. Numbers that `work` reads
    /// in host memory are fixed at recording time. Returns null, without a call of `work`, if the device cannot record
    /// (a CPU) or has too little free memory. Throws what `work` throws, and if an operation cannot be recorded; the
    /// device has then computed nothing.
    virtual std::unique_ptr<Recording> record(const std::function<void()>& /*work*/) const { return nullptr; }

    /// Returns the allocator's cached memory to the device, so that other processes can use it.
    virtual void give_back_memory() const = 0;

    /// Call it between trials, while there is no group: also frees what was kept for the trial that ended.
    virtual void rest() const { give_back_memory(); }

    /// Forms a group with the other `size` - 1 processes that call this with the same store. `patience` applies to the
    /// rendezvous and to each collective. Throws what the store or the backend throws.
    virtual c10::intrusive_ptr<c10d::ProcessGroup> make_process_group(const c10::intrusive_ptr<c10d::Store>& store,
                                                                      int rank, int size,
                                                                      const Patience& patience) const = 0;

    /// Waits until this device has finished all work, including the group's collectives. Calls `give_up` now and then,
    /// and returns false if that returns true. Throws what the backend throws if a collective failed. In both cases the
    /// results are invalid.
    virtual bool finish(c10d::ProcessGroup& group, const std::function<bool()>& give_up) const = 0;

    /// Ends a group, whatever its other members do. The group must not be used again. Throws what the backend throws.
    virtual void dissolve(c10d::ProcessGroup& group) const = 0;
};

/// Waits until the device has finished all work that was queued on it.
inline void await(const Device& device) {
    while (!device.idle()) {
        std::this_thread::yield();
    }
}

std::unique_ptr<Device> make_cpu_device();

/// Loads the CUDA device from libcrescendo_cuda.so, which lies beside the program. The module stays loaded. Call it
/// while the process has one thread, because it sets environment variables (prepare_cuda_environment()). Throws
/// std::runtime_error if the module cannot be loaded or finds no GPU.
std::unique_ptr<Device> load_cuda_device();

/// Makes a Gloo process group for tensors of `type`. It uses the network interface GLOO_SOCKET_IFNAME if that is set,
/// and otherwise stays within this machine.
c10::intrusive_ptr<c10d::ProcessGroup> make_gloo_group(at::DeviceType type,
                                                       const c10::intrusive_ptr<c10d::Store>& store, int rank, int size,
                                                       const Patience& patience);

}  // namespace crescendo::trainer
