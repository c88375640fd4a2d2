#include <ATen/core/CachingHostAllocator.h>
#include <ATen/cuda/CUDAContext.h>
#include <ATen/cuda/CUDAEvent.h>
#include <c10/cuda/CUDACachingAllocator.h>
#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAGuard.h>
#include <torch/types.h>

#include <array>
#include <chrono>
#include <memory_resource>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <torch/csrc/distributed/c10d/ProcessGroupNCCL.hpp>
#include <unordered_map>
#include <vector>

#include "trainer/device/cuda_versions.hpp"
#include "trainer/device/device.hpp"
#include "trainer/device/gpu_identity.hpp"

namespace crescendo::trainer {

namespace {

using c10d::ProcessGroup;
using c10d::ProcessGroupNCCL;

GpuIdentity own_gpu() {
    const auto& properties = *at::cuda::getCurrentDeviceProperties();
    std::array<char, 32> address{};
    C10_CUDA_CHECK(cudaDeviceGetPCIBusId(address.data(), address.size(), at::cuda::current_device()));
    return {.uuid = std::string(properties.uuid.bytes, sizeof properties.uuid.bytes),
            .host = host_identity(),
            .pci_address = address.data()};
}

bool members_share_a_gpu(const c10::intrusive_ptr<c10d::Store>& store, int rank, int size) {
    const auto key = [](int member) { return "gpu/" + std::to_string(member); };
    store->set(key(rank), own_gpu().to_text());
    std::vector<GpuIdentity> gpus;
    for (int member = 0; member < size; ++member) {
        gpus.push_back(read_gpu_identity(store->get_to_str(key(member))));
    }
    return share_a_gpu(gpus);
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

    void give_back_memory() const override { c10::cuda::CUDACachingAllocator::emptyCache(); }

    c10::intrusive_ptr<ProcessGroup> make_process_group(const c10::intrusive_ptr<c10d::Store>& store, int rank,
                                                        int size, std::chrono::milliseconds timeout) const override {
        if (members_share_a_gpu(store, rank, size)) {
            return make_gloo_group(at::kCUDA, store, rank, size, timeout);
        }
        give_back_memory();  // NCCL takes its own beside LibTorch's
        auto options = ProcessGroupNCCL::Options::create();
        options->timeout = timeout;
        options->config.blocking = 0;  // a peer that dies meanwhile would hold the others for ever
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
        const auto began = std::chrono::steady_clock::now();
        while (!done.query()) {
            if (give_up()) {
                return false;
            }
            // Long waits leave the core to the threads that read samples; short ones end at once.
            if (std::chrono::steady_clock::now() - began < std::chrono::microseconds(200)) {
                std::this_thread::yield();
            } else {
                std::this_thread::sleep_for(std::chrono::microseconds(50));
            }
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
        int driver = 0;
        int runtime = 0;
        C10_CUDA_IGNORE_ERROR(cudaDriverGetVersion(&driver));
        C10_CUDA_IGNORE_ERROR(cudaRuntimeGetVersion(&runtime));
        throw std::runtime_error(crescendo::trainer::why_no_gpu(driver, runtime));
    }
    return new crescendo::trainer::CudaDevice;
}
