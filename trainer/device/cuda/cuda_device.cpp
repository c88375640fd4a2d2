#include <ATen/Functions.h>
#include <ATen/core/CachingHostAllocator.h>
#include <ATen/cuda/CUDAContext.h>
#include <ATen/cuda/CUDAEvent.h>
#include <ATen/cuda/CUDAGraph.h>
#include <c10/cuda/CUDACachingAllocator.h>
#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAGuard.h>
#include <torch/types.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <deque>
#include <exception>
#include <functional>
#include <memory>
#include <memory_resource>
#include <mutex>
#include <stdexcept>
#include <string>
#include <torch/csrc/distributed/c10d/ProcessGroup.hpp>
#include <torch/csrc/distributed/c10d/Store.hpp>
#include <unordered_map>

#include "core/trial_protocol.hpp"
#include "trainer/device/cuda_versions.hpp"
#include "trainer/device/device.hpp"
#include "trainer/device/gpu_identity.hpp"
#include "trainer/device/nccl/nccl_backend.hpp"
#include "trainer/device/nccl/nccl_groups.hpp"

namespace crescendo::trainer {

namespace {

/// Lets tests of groups use NCCL itself with only one GPU: with this variable, each worker poses as a separate machine.
/// NCCL then communicates over sockets, and the workers take turns on the GPU.
constexpr const char* pose_as_machine_variable = "CRESCENDO_TEST_WORKERS_AS_MACHINES";

GpuIdentity own_gpu() {
    const auto& properties = *at::cuda::getCurrentDeviceProperties();
    std::array<char, 32> address{};
    C10_CUDA_CHECK(cudaDeviceGetPCIBusId(address.data(), address.size(), at::cuda::current_device()));
    std::string uuid(properties.uuid.bytes, sizeof properties.uuid.bytes);
    if (std::getenv(pose_as_machine_variable) != nullptr) {
        uuid = std::to_string(::getpid());
        ::setenv("NCCL_HOSTID", uuid.c_str(), /*overwrite=*/1);
    }
    return {.uuid = std::move(uuid), .host = host_identity(), .pci_address = address.data()};
}

/// A CUDA stream for collectives, so that they run while the gradients of other layers are computed.
class CudaQueue : public DeviceQueue {
  public:
    nccl::Stream stream() const override { return stream_.stream(); }

    void begin_after_computing() override {
        at::cuda::CUDAEvent computed;
        computed.record();
        computed.block(stream_);
    }

    std::function<bool()> mark() override {
        const auto event = std::make_shared<at::cuda::CUDAEvent>();
        event->record(stream_);
        return [event] { return event->query(); };
    }

    /// LibTorch's future records the current stream, and makes the streams of its waiters wait for it.
    void complete(c10::ivalue::Future& future, const c10::IValue& value, const std::function<void()>&) override {
        const c10::cuda::CUDAStreamGuard guard(stream_);
        future.markCompleted(value);
    }

  private:
    c10::cuda::CUDAStream stream_ = at::cuda::getStreamFromPool(/*isHighPriority=*/true);
};

/// Page-locked memory, from which a GPU can copy asynchronously. It comes from LibTorch's allocator, which does not
/// reuse a freed block before all copies from it are done (ATen/core/CachingHostAllocator.h).
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

/// Number of workers that share the GPU.
int workers_of_gpu() {
    const char* share = std::getenv(protocol::gpu_share_variable);
    return std::max(1, share != nullptr ? std::atoi(share) : 1);
}

/// Limits memory if workers share a GPU, so that a worker that needs more than its share fails itself instead of its
/// neighbours. CUDA's own memory, a few hundred MB per process, is not counted.
void leave_memory_to_others() {
    if (workers_of_gpu() > 1) {
        at::globalContext().lazyInitDevice(at::kCUDA);  // creates the allocator
        c10::cuda::CUDACachingAllocator::setMemoryFraction(1.0 / workers_of_gpu(), /*device=*/0);
    }
}

/// A CUDA graph whose tensors lie in its own memory pool.
class CudaGraph : public Recording {
  public:
    /// Nothing else may use `stream`, because CUDA records everything that is queued on it.
    CudaGraph(c10::cuda::CUDAStream stream, const std::function<void()>& work) {
        const c10::cuda::CUDAStreamGuard guard(stream);
        // Other threads, such as autograd's, may allocate memory meanwhile.
        const auto pool = at::cuda::graph_pool_handle();
        std::exception_ptr failure;
        try {
            graph_.capture_begin(pool, cudaStreamCaptureModeThreadLocal);
        } catch (...) {
            leave(pool);
            throw;
        }
        try {
            work();
        } catch (...) {
            failure = std::current_exception();
        }
        try {
            graph_.capture_end();
        } catch (...) {  // CUDA aborted at an operation that cannot be recorded
            failure = failure ? failure : std::current_exception();
            if (!has_ended()) {
                leave(pool);
                end_capture_of_generator();
            }
        }
        if (failure) {
            std::rethrow_exception(failure);
        }
    }
    CudaGraph(const CudaGraph&) = delete;
    CudaGraph& operator=(const CudaGraph&) = delete;
    /// Waits for the replays. Before LibTorch takes memory of a pool away, it waits only for the stream that recorded,
    /// but replays run on another one.
    ~CudaGraph() override { C10_CUDA_IGNORE_ERROR(cudaStreamSynchronize(at::cuda::getCurrentCUDAStream())); }

    void replay() override { graph_.replay(); }

  private:
    /// Whether recording succeeded and only making it executable failed: then the graph itself frees its pools.
    bool has_ended() {
        try {
            graph_.pool();
            return true;
        } catch (const c10::Error&) {
            return false;
        }
    }

    /// Stops LibTorch's allocators from using the pool. They ask the graph where to allocate, and after a failed
    /// recording they would ask a graph that no longer exists.
    static void leave(at::cuda::MempoolId_t pool) {
        const auto attempt = [](auto&& call) {
            try {
                call();
            } catch (const c10::Error&) {  // recording failed before it reached this allocator
            }
        };
        attempt([&] { c10::cuda::CUDACachingAllocator::endAllocateToPool(/*device=*/0, pool); });
        attempt([&] { c10::cuda::CUDACachingAllocator::releasePool(/*device=*/0, pool); });
        attempt([&] { at::getHostAllocator(at::kCUDA)->end_allocate_to_pool(pool); });
        attempt([&] { at::getHostAllocator(at::kCUDA)->release_pool(pool); });
    }

    /// After a failed recording, LibTorch's generator stays in recording mode, and gives no numbers outside of a
    /// recording, until another recording succeeds. So this makes one.
    static void end_capture_of_generator() {
        at::cuda::CUDAGraph graph;
        graph.capture_begin();
        at::zeros({1}, at::kCUDA);
        graph.capture_end();
    }

    at::cuda::CUDAGraph graph_;
};

/// The first GPU that CUDA_VISIBLE_DEVICES makes visible to this process.
class CudaDevice : public Device {
  public:
    CudaDevice() { groups_->warm_up(); }

    at::Device place() const override { return {at::kCUDA, 0}; }

    std::pmr::memory_resource& staging_memory() const override {
        static PinnedMemory memory;
        return memory;
    }

    at::Tensor upload(const at::Tensor& host) const override {
        const auto computing = at::cuda::getCurrentCUDAStream();
        stay_near(computing);
        at::Tensor there;
        at::cuda::CUDAEvent copied;
        {
            const c10::cuda::CUDAStreamGuard guard(copying_);
            there = host.to(place(), /*non_blocking=*/true);
            copied.record(copying_);
        }
        copied.block(computing);
        // The memory belongs to the stream of the copies, which would otherwise reuse it for the next copy while it is
        // in use.
        there.record_stream(computing);
        return there;
    }

    bool idle() const override { return at::cuda::getCurrentCUDAStream().query(); }

    bool records() const override { return true; }

    std::unique_ptr<Recording> record(const std::function<void()>& work) const override {
        c10::cuda::CUDACachingAllocator::emptyCache();  // during a recording, LibTorch frees no cached memory
        if (!has_room_for_a_recording()) {
            return nullptr;
        }
        const auto computing = at::cuda::getCurrentCUDAStream();
        at::cuda::CUDAEvent before;
        before.record(computing);
        before.block(recording_);
        return std::make_unique<CudaGraph>(recording_, work);
    }

    /// Also resets the peak statistics, because past peaks do not predict the next steps.
    void give_back_memory() const override {
        c10::cuda::CUDACachingAllocator::emptyCache();
        c10::cuda::CUDACachingAllocator::resetPeakStats(/*device=*/0);
    }

    /// Also frees page-locked memory: it keeps a pool for each past recording, and every upload would search all of
    /// them.
    void rest() const override {
        give_back_memory();
        groups_->rest();
        at::getHostAllocator(at::kCUDA)->empty_cache();
    }

    c10::intrusive_ptr<c10d::ProcessGroup> make_process_group(const c10::intrusive_ptr<c10d::Store>& store, int rank,
                                                              int size, const Patience& patience) const override {
        give_back_memory();  // NCCL allocates its own memory outside of LibTorch's
        const auto group = groups_->make(store, rank, size, patience, at::kCUDA, collectives_);
        return group ? group : make_gloo_group(at::kCUDA, store, rank, size, patience);
    }

    bool finish(c10d::ProcessGroup& group, const std::function<bool()>& give_up) const override {
        if (NcclBackend* nccl = nccl_backend(group)) {
            nccl->finish(give_up);
        }
        at::cuda::CUDAEvent done;
        done.record();
        for (const Pauses pauses; !done.query(); pauses.pause()) {
            if (give_up()) {
                return false;
            }
        }
        return true;
    }

    void dissolve(c10d::ProcessGroup& group) const override {
        if (nccl_backend(group) != nullptr) {
            groups_->end(group);
        }
    }

  private:
    /// Waits until the GPU has reached the point of the upload `most_uploads_ahead` uploads ago. A recorded step is
    /// only a few launches, so the launch queue alone would let the host run many steps ahead, with all of their
    /// batches on the GPU.
    void stay_near(const c10::cuda::CUDAStream& computing) const {
        constexpr std::size_t most_uploads_ahead = 12;  // a step has one to three uploads
        asked_.emplace_back().record(computing);
        if (asked_.size() > most_uploads_ahead) {
            for (const Pauses pauses; !asked_.front().query(); pauses.pause()) {}
            asked_.pop_front();
        }
    }

    /// Whether enough memory is free. A recording keeps the memory of a step, in addition to that of other steps and of
    /// evaluations.
    static bool has_room_for_a_recording() {
        using c10::CachingAllocator::StatType;
        constexpr auto all = static_cast<std::size_t>(StatType::AGGREGATE);
        const auto stats = c10::cuda::CUDACachingAllocator::getDeviceStats(/*device=*/0);
        const auto taken = stats.allocated_bytes[all].peak - stats.allocated_bytes[all].current;
        std::size_t free = 0;
        std::size_t total = 0;
        C10_CUDA_CHECK(cudaMemGetInfo(&free, &total));
        const auto share = static_cast<std::int64_t>(total) / workers_of_gpu() - stats.reserved_bytes[all].current;
        return std::min(share, static_cast<std::int64_t>(free)) > 2 * taken;
    }

    c10::cuda::CUDAStream copying_ = at::cuda::getStreamFromPool();
    c10::cuda::CUDAStream recording_ = at::cuda::getStreamFromPool();
    mutable std::deque<at::cuda::CUDAEvent> asked_;  ///< recorded at the latest uploads
    std::shared_ptr<CudaQueue> collectives_ = std::make_shared<CudaQueue>();
    std::unique_ptr<NcclGroups> groups_ = std::make_unique<NcclGroups>(NcclLibrary(), own_gpu());
};

}  // namespace

}  // namespace crescendo::trainer

/// The module's only entry point. The caller owns the device. Throws std::runtime_error if there is no GPU.
extern "C" crescendo::trainer::Device* crescendo_make_cuda_device() {
    if (at::cuda::device_count() == 0) {
        int driver = 0;
        int runtime = 0;
        C10_CUDA_IGNORE_ERROR(cudaDriverGetVersion(&driver));
        C10_CUDA_IGNORE_ERROR(cudaRuntimeGetVersion(&runtime));
        throw std::runtime_error(crescendo::trainer::why_no_gpu(driver, runtime));
    }
    crescendo::trainer::leave_memory_to_others();
    return new crescendo::trainer::CudaDevice;
}
