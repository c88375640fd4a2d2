#pragma once

#include <ATen/core/Tensor.h>
#include <c10/util/intrusive_ptr.h>

#include <functional>
#include <memory>
#include <memory_resource>
#include <thread>

#include "trainer/device/patience.hpp"

// The headers of these are among torch's heaviest.
namespace c10d {
class ProcessGroup;
class Store;
}  // namespace c10d

namespace crescendo::trainer {

/// What a device was once asked to compute, to be computed again by one call.
class Recording {
  public:
    virtual ~Recording() = default;

    /// Asks for the same operations on the same memory.
    virtual void replay() = 0;
};

/// The device on which a worker computes, and how workers on such devices communicate.
class Device {
  public:
    virtual ~Device() = default;

    virtual at::Device place() const = 0;

    /// The host's memory in which samples are put together before they are uploaded. It is page-locked if the device is
    /// a GPU. It may be given back while an upload from it is under way. It lives as long as the process.
    virtual std::pmr::memory_resource& staging_memory() const = 0;

    /// Brings a tensor from host memory to this device. On the CPU it is the same tensor. On a GPU this begins the
    /// copy, beside what the GPU computes; what the GPU is asked to compute from now on waits for the copy. The host's
    /// numbers must not be overwritten before that.
    virtual at::Tensor upload(const at::Tensor& host) const = 0;

    /// Whether the device has done everything that it was asked to compute.
    virtual bool idle() const = 0;

    /// Whether record() may do more than return null.
    virtual bool records() const { return false; }

    /// Calls `work`, and records what it asks of the device instead of computing it. Tensors that `work` makes lie in
    /// memory of the recording, and have their numbers after each replay. Numbers that `work` itself has, in host
    /// memory, stay those of the recording. Null if the device records nothing, as CPUs, or has no memory to spare for
    /// it; `work` was not called then. Throws what `work` throws, and if it asked for what cannot be recorded; the
    /// device has computed nothing then.
    virtual std::unique_ptr<Recording> record(const std::function<void()>& /*work*/) const { return nullptr; }

    /// Gives memory that it keeps for what comes next back to the device, so that others find it.
    virtual void give_back_memory() const = 0;

    /// Between trials, when no group is there: gives back what was kept for the trial that ended too.
    virtual void rest() const { give_back_memory(); }

    /// Meets the other `size` - 1 processes that call this with the same store. `patience` is that of the meeting and
    /// of each collective. Throws what the store or the backend throws.
    virtual c10::intrusive_ptr<c10d::ProcessGroup> make_process_group(const c10::intrusive_ptr<c10d::Store>& store,
                                                                      int rank, int size,
                                                                      const Patience& patience) const = 0;

    /// Waits until this device has done everything, including the group's collectives. Returns false if `give_up`,
    /// which is called now and then, returns true; throws what the backend throws if a collective failed. Then the
    /// results are invalid.
    virtual bool finish(c10d::ProcessGroup& group, const std::function<bool()>& give_up) const = 0;

    /// Ends a group, whatever its other members do. The group is not used again. Throws what the backend throws.
    virtual void dissolve(c10d::ProcessGroup& group) const = 0;
};

/// Waits until the device has done everything that it was asked to compute.
inline void await(const Device& device) {
    while (!device.idle()) {
        std::this_thread::yield();
    }
}

std::unique_ptr<Device> make_cpu_device();

/// Loads the device of libcrescendo_cuda.so, which lies beside the program. The module stays loaded. To be called while
/// the process has one thread, because it prepares the environment (prepare_cuda_environment()). Throws
/// std::runtime_error if the module cannot be loaded or finds no GPU.
std::unique_ptr<Device> load_cuda_device();

/// Gloo's process group for tensors of `type`, over the network interface GLOO_SOCKET_IFNAME, or else
/// within this machine.
c10::intrusive_ptr<c10d::ProcessGroup> make_gloo_group(at::DeviceType type,
                                                       const c10::intrusive_ptr<c10d::Store>& store, int rank, int size,
                                                       const Patience& patience);

}  // namespace crescendo::trainer
