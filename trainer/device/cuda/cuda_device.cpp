#include <ATen/core/CachingHostAllocator.h>
#include <ATen/cuda/CUDAContext.h>
#include <ATen/cuda/CUDAEvent.h>
#include <c10/cuda/CUDAGuard.h>
#include <torch/types.h>

#include <algorithm>
#include <cstdlib>
#include <memory_resource>
#include <mutex>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <torch/csrc/distributed/c10d/ProcessGroupNCCL.hpp>
#include <unordered_map>

#include "trainer/device/device.hpp"

namespace crescendo::trainer {

namespace {

using c10d::ProcessGroup;
using c10d::ProcessGroupNCCL;

/// Whether two members compute on one GPU, which NCCL refuses.
bool share_a_gpu(const c10::intrusive_ptr<c10d::Store>& store, int rank, int size) {
    const auto& bytes = at::cuda::getCurrentDeviceProperties()->uuid.bytes;
    const auto key = [](int member) { return "gpu/" + std::to_string(member); };
    store->set(key(rank), std::string(bytes, sizeof bytes));
    std::set<std::string> gpus;
    for (int member = 0; member < size; ++member) {
        gpus.insert(store->get_to_str(key(member)));
    }
    return static_cast<int>(gpus.size()) < size;
}

/// Page-locked memory, which a GPU copies from by itself. It is LibTorch's: a block that is given back while copies
/// from it are under way is not handed out again before they are done (ATen/core/CachingHostAllocator.h).
class PinnedMemory : public std::pmr::memory_resource {
  private:
    void* do_allocate(std::size_t bytes, std::size_t) override {
        auto block = at::getHostAllocator(at::kCUDA)->allocate(bytes);
        void* place = block.get();
        const std::lock_guard lock(mutex_);
        blocks_.emplace(place, std::move(block));
        return place;
    }

    void do_deallocate(void* place, std::size_t, std::size_t) override {
        const std::lock_guard lock(mutex_);
        blocks_.erase(place);
    }

    bool do_is_equal(const memory_resource& other) const noexcept override { return this == &other; }

    std::mutex mutex_;
    std::unordered_map<void*, at::DataPtr> blocks_;
};

/// The first GPU that CUDA_VISIBLE_DEVICES leaves to this process.
class CudaDevice : public Device {
  public:
    at::Device place() const override { return {at::kCUDA, 0}; }

    std::pmr::memory_resource& staging_memory() const override {
        static PinnedMemory memory;
        return memory;
    }

    at::Tensor upload(const at::Tensor& host) const override {
        const auto computing = at::cuda::getCurrentCUDAStream();
        at::Tensor there;
        at::cuda::CUDAEvent copied;
        {
            const c10::cuda::CUDAStreamGuard guard(copying_);
            there = host.to(place(), /*non_blocking=*/true);
            copied.record(copying_);
        }
        copied.block(computing);
        // The memory is the copies' stream's, which would else give it to the next copy while it is computed with.
        there.record_stream(computing);
        return there;
    }

    bool idle() const override { return at::cuda::getCurrentCUDAStream().query(); }

    c10::intrusive_ptr<ProcessGroup> make_process_group(const c10::intrusive_ptr<c10d::Store>& store, int rank,
                                                        int size, std::chrono::milliseconds timeout) const override {
        if (share_a_gpu(store, rank, size)) {
            return make_gloo_group(at::kCUDA, store, rank, size, timeout);
        }
        auto options = ProcessGroupNCCL::Options::create();
        options->timeout = timeout;
        auto group = c10::make_intrusive<ProcessGroup>(store, rank, size);
        group->setBackend(at::kCUDA, ProcessGroup::BackendType::NCCL,
                          c10::make_intrusive<ProcessGroupNCCL>(store, rank, size, std::move(options)));
        group->setDefaultBackend(ProcessGroup::BackendType::NCCL);
        return group;
    }

    /// NCCL's collectives wait on the GPU for a peer that may be dead, and there no exception reaches us.
    bool finish(ProcessGroup& group, const std::function<bool()>& give_up) const override {
        at::cuda::CUDAEvent done;
        done.record();
        while (!done.query()) {
            if (give_up()) {
                return false;
            }
            std::this_thread::yield();
        }
        // Where NCCL has given up by itself, on an error or its time-out, the kernels ended without a result.
        return group.getBackendType() != ProcessGroup::BackendType::NCCL ||
               group.getBackend(at::kCUDA)->getError() == c10d::ErrorType::SUCCESS;
    }

    void dissolve(ProcessGroup& group) const override {
        // Members leave a group at different steps: a shutdown by agreement would wait for the dead.
        if (group.getBackendType() == ProcessGroup::BackendType::NCCL) {
            group.getBackend(at::kCUDA)->abort();
        }
    }

  private:
    c10::cuda::CUDAStream copying_ = at::cuda::getStreamFromPool();
};

}  // namespace

}  // namespace crescendo::trainer

/// The module's only entry. The caller owns the device; throws std::runtime_error where there is no GPU.
extern "C" crescendo::trainer::Device* crescendo_make_cuda_device() {
    if (at::cuda::device_count() == 0) {
        throw std::runtime_error(
            "CRESCENDO_DEVICE is cuda, but CUDA finds no GPU here; "
            "look at nvidia-smi and CUDA_VISIBLE_DEVICES, or use slots of CPU cores");
    }
    // A lost peer costs the group, not the process: NCCL's guard threads may abort communicators and no more.
    ::setenv("TORCH_NCCL_ASYNC_ERROR_HANDLING", "2", /*overwrite=*/0);
    ::setenv("TORCH_NCCL_ENABLE_MONITORING", "0", /*overwrite=*/0);
    return new crescendo::trainer::CudaDevice;
}
