#include "trainer/device/nccl/nccl_communicator.hpp"

#include <cstdio>
#include <exception>
#include <future>
#include <thread>

#include "core/check.hpp"

namespace crescendo::trainer {

using nccl::Result;

namespace {

bool is_error(Result result) { return result != Result::success && result != Result::in_progress; }

}  // namespace

NcclCommunicator::NcclCommunicator(const NcclLibrary& library, const nccl::UniqueId& id, int rank, int size,
                                   const Patience& patience)
    : library_(library) {
    nccl::Config config;
    config.blocking = 0;
    try {
        settle(text("forming a group of {}", size),
               library_.comm_init_rank_config(&communicator_, size, id, rank, &config), patience);
    } catch (...) {
        abort();
        throw;
    }
}

NcclCommunicator::~NcclCommunicator() { abort(); }

void NcclCommunicator::all_reduce(void* numbers, std::size_t count, nccl::DataType type, nccl::Stream stream,
                                  const Patience& patience) {
    ++num_collectives_;
    settle("ncclAllReduce",
           library_.all_reduce(numbers, numbers, count, type, nccl::Reduction::sum, communicator_, stream), patience);
}

void NcclCommunicator::broadcast(void* numbers, std::size_t count, nccl::DataType type, int root, nccl::Stream stream,
                                 const Patience& patience) {
    ++num_collectives_;
    settle("ncclBroadcast", library_.broadcast(numbers, numbers, count, type, root, communicator_, stream), patience);
}

void NcclCommunicator::wait(const std::string& what, const std::function<bool()>& done,
                            const Patience& patience) const {
    for (const Pauses pauses;; pauses.pause()) {
        // Checked first, because when a communicator fails, its operations end without a result.
        const Result now = state();
        if (is_error(now)) {
            throw NcclError(text("NCCL, {}: {}", what, library_.describe(now)));
        }
        if (done()) {
            return;
        }
        if (patience.gives_up()) {
            throw NcclError(text("NCCL, {}: abandoned for a new order", what));
        }
        if (pauses.elapsed() >= patience.timeout) {
            throw NcclError(
                text("NCCL, {}: not done after {} s", what, std::chrono::duration<double>(patience.timeout).count()));
        }
    }
}

bool NcclCommunicator::has_failed() const { return is_error(state()); }

Result NcclCommunicator::state() const {
    Result state = Result::in_progress;
    const Result asked = library_.comm_get_async_error(communicator_, &state);
    return asked == Result::success ? state : asked;
}

/// Waits for a call on a non-blocking communicator: it ends when NCCL's thread has done its part or failed.
void NcclCommunicator::settle(const std::string& what, Result result, const Patience& patience) const {
    if (is_error(result)) {
        throw NcclError(text("NCCL, {}: {}", what, library_.describe(result)));
    }
    if (result == Result::in_progress) {
        wait(
            what, [this] { return state() == Result::success; }, patience);
    }
}

bool NcclCommunicator::abort(std::shared_ptr<void> kept, std::chrono::milliseconds time) noexcept try {
    if (begin_abort(std::move(kept)).wait_for(time) == std::future_status::ready) {
        return true;
    }
    std::fprintf(stderr, "NCCL did not end a group within %lld ms; its memory stays allocated\n",
                 static_cast<long long>(time.count()));
    return false;
} catch (const std::exception& error) {  // no thread is available
    std::fprintf(stderr, "cannot end an NCCL group: %s\n", error.what());
    return false;
}

/// On its own thread, because NCCL waits for its threads, which may wait for a device or network that does not answer.
std::future<void> NcclCommunicator::begin_abort(std::shared_ptr<void> kept) {
    const auto aborted = std::make_shared<std::promise<void>>();
    if (communicator_ == nullptr) {
        aborted->set_value();
        return aborted->get_future();
    }
    std::thread([aborted, kept = std::move(kept), abort = library_.comm_abort, communicator = communicator_]() mutable {
        abort(communicator);
        kept.reset();
        aborted->set_value();
    }).detach();
    communicator_ = nullptr;
    return aborted->get_future();
}

}  // namespace crescendo::trainer
