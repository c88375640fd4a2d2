#include "trainer/device/nccl/nccl_backend.hpp"

#include <ATen/ATen.h>

#include <utility>

namespace crescendo::trainer {

namespace {

/// Groups sum only these types. They broadcast all others as bytes.
nccl::DataType type_of(const at::Tensor& numbers) {
    switch (numbers.scalar_type()) {
        case at::kByte:
            return nccl::DataType::uint8;
        case at::kLong:
            return nccl::DataType::int64;
        case at::kFloat:
            return nccl::DataType::float32;
        case at::kDouble:
            return nccl::DataType::float64;
        default:
            TORCH_CHECK(false, "Crescendo's NCCL backend does not support the type ", numbers.scalar_type());
    }
}

}  // namespace

NcclBackend::NcclBackend(std::unique_ptr<NcclCommunicator> communicator, std::shared_ptr<DeviceQueue> queue, int rank,
                         int size, Patience patience)
    : Backend(rank, size),
      communicator_(std::move(communicator)),
      queue_(std::move(queue)),
      patience_(std::move(patience)) {}

NcclBackend::~NcclBackend() { abort(); }

c10::intrusive_ptr<c10d::Work> NcclBackend::allreduce(std::vector<at::Tensor>& tensors,
                                                      const c10d::AllreduceOptions& options) {
    TORCH_CHECK(options.reduceOp == c10d::ReduceOp::SUM, "Crescendo's NCCL backend only supports sums");
    return enqueue("ncclAllReduce", tensors, [&](void* numbers, auto count, auto type) {
        communicator_->all_reduce(numbers, count, type, queue_->stream(), patience_);
    });
}

c10::intrusive_ptr<c10d::Work> NcclBackend::broadcast(std::vector<at::Tensor>& tensors,
                                                      const c10d::BroadcastOptions& options) {
    return enqueue("ncclBroadcast", tensors, [&](void* numbers, auto count, auto type) {
        communicator_->broadcast(numbers, count, type, static_cast<int>(options.rootRank), queue_->stream(), patience_);
    });
}

/// On a GPU the returned work is complete at once, and its waiters compute after the collective.
template <class Call>
c10::intrusive_ptr<c10d::Work> NcclBackend::enqueue(const char* name, const std::vector<at::Tensor>& tensors,
                                                    Call&& call) {
    TORCH_CHECK(tensors.size() == 1 && tensors.front().is_non_overlapping_and_dense(), name, " takes one dense tensor");
    const at::Tensor& numbers = tensors.front();
    std::vector<c10::Device> devices;
    if (!numbers.is_cpu()) {
        devices.push_back(numbers.device());
    }
    auto future =
        c10::make_intrusive<c10::ivalue::Future>(c10::ListType::create(c10::TensorType::get()), std::move(devices));
    queue_->begin_after_computing();
    Collective& collective = pending_->emplace_back(Collective{name, numbers, queue_->mark(), {}});
    if (numbers.numel() > 0) {
        call(numbers.mutable_data_ptr(), static_cast<std::size_t>(numbers.numel()), type_of(numbers));
    }
    collective.is_done = queue_->mark();
    queue_->complete(*future, tensors, [this] { finish(patience_.give_up); });
    return c10d::Work::create_from_future(future);
}

void NcclBackend::finish(const std::function<bool()>& give_up) {
    for (; !pending_->empty(); pending_->pop_front()) {
        const Collective& next = pending_->front();
        communicator_->wait(next.name, next.is_ready, {.give_up = give_up});
        communicator_->wait(next.name, next.is_done, {.timeout = patience_.timeout, .give_up = give_up});
    }
}

void NcclBackend::abort() {
    if (const auto ended = std::exchange(communicator_, nullptr)) {
        ended->abort(pending_);
    }
}

std::unique_ptr<NcclCommunicator> NcclBackend::release() {
    if (!pending_->empty() || !communicator_ || communicator_->has_failed()) {
        abort();
    }
    return std::move(communicator_);
}

}  // namespace crescendo::trainer
