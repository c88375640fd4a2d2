#pragma once

#include <ATen/core/Tensor.h>
#include <c10/util/intrusive_ptr.h>

#include <chrono>
#include <functional>
#include <memory>
#include <memory_resource>
#include <string>

// The headers of these are among torch's heaviest.
namespace c10d {
class ProcessGroup;
class Store;
}  // namespace c10d

namespace crescendo::trainer {

/// Where a worker computes, and how workers of that kind talk to each other.
class Device {
  public:
    virtual ~Device() = default;

    virtual at::Device place() const = 0;

    /// Memory of the host that samples are best put together in before they are uploaded: page-locked where the device
    /// is a GPU. It may be given back while an upload from it is under way. Lives as long as the process.
    virtual std::pmr::memory_resource& staging_memory() const = 0;

    /// A tensor in host memory, brought to this device; the same tensor where that is the CPU. Where it is a GPU this
    /// begins the copy, beside what the GPU computes, and what it is asked to compute from now on waits for the copy.
    /// The host's numbers must not be written over before that.
    virtual at::Tensor upload(const at::Tensor& host) const = 0;

    /// Whether everything that was to be computed is done.
    virtual bool idle() const = 0;

    /// Meets the other `size` - 1 processes that call this with the same store. `size` is at least 2.
    /// Throws what the store or the backend throws.
    virtual c10::intrusive_ptr<c10d::ProcessGroup> make_process_group(const c10::intrusive_ptr<c10d::Store>& store,
                                                                      int rank, int size,
                                                                      std::chrono::milliseconds timeout) const = 0;

    /// Waits until everything asked of this device, the group's collectives among it, is done. False where
    /// `give_up`, asked now and then, says so, or where a collective failed: the results are worth nothing then.
    virtual bool finish(c10d::ProcessGroup& group, const std::function<bool()>& give_up) const = 0;

    /// Ends a group, whatever its other members do. It is not used again.
    virtual void dissolve(c10d::ProcessGroup& group) const = 0;
};

std::unique_ptr<Device> make_cpu_device();

/// The device of libcrescendo_cuda.so beside the program. The module stays loaded. Throws
/// std::runtime_error where it cannot be loaded or finds no GPU.
std::unique_ptr<Device> load_cuda_device();

/// Gloo's process group for tensors of `type`, over the network interface GLOO_SOCKET_IFNAME, or else
/// within this machine.
c10::intrusive_ptr<c10d::ProcessGroup> make_gloo_group(at::DeviceType type,
                                                       const c10::intrusive_ptr<c10d::Store>& store, int rank, int size,
                                                       std::chrono::milliseconds timeout);

}  // namespace crescendo::trainer
