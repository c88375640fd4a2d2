#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <future>
#include <memory>
#include <stdexcept>
#include <string>

#include "trainer/device/nccl/nccl_library.hpp"
#include "trainer/device/patience.hpp"

namespace crescendo::trainer {

/// A communicator failed or timed out. The message includes NCCL's own error, in the form that blames_this_worker()
/// reads.
class NcclError : public std::runtime_error {
  public:
    using std::runtime_error::runtime_error;
};

/// One member's end of an NCCL communicator. It never blocks inside NCCL: every wait checks for errors, has a time-out,
/// and asks whether to give up. Not thread-safe: only one thread may use it at a time.
class NcclCommunicator {
  public:
    /// How long abort() waits for NCCL to end a communicator.
    static constexpr std::chrono::seconds time_to_abort{5};

    /// Connects to the other `size` - 1 members that were given this id. `library` must outlive the communicator.
    /// Throws NcclError.
    NcclCommunicator(const NcclLibrary& library, const nccl::UniqueId& id, int rank, int size,
                     const Patience& patience);
    NcclCommunicator(const NcclCommunicator&) = delete;
    NcclCommunicator& operator=(const NcclCommunicator&) = delete;
    ~NcclCommunicator();

    /// Queues the sum over all members, in place, on `stream`, after the work that is already there. Returns once it is
    /// queued; the first collective connects the members before that. NCCL uses the numbers until the stream has
    /// finished the sum. Throws NcclError.
    void all_reduce(void* numbers, std::size_t count, nccl::DataType type, nccl::Stream stream,
                    const Patience& patience);
    /// Queues a broadcast of the numbers of member `root`, with the same rules as all_reduce().
    void broadcast(void* numbers, std::size_t count, nccl::DataType type, int root, nccl::Stream stream,
                   const Patience& patience);

    /// Number of collectives queued so far.
    std::int64_t num_collectives() const { return num_collectives_; }
    bool has_failed() const;

    /// Waits until `done` returns true. Throws NcclError if the communicator fails or patience ends. `what` names the
    /// awaited operation in the message.
    void wait(const std::string& what, const std::function<bool()>& done, const Patience& patience) const;

    /// Ends the communicator and its unfinished collectives, whatever its other members do. It must not be used again.
    /// Returns false and logs a line if NCCL has not ended it within `time`: then the communicator and `kept` stay
    /// alive.
    bool abort(std::shared_ptr<void> kept = nullptr, std::chrono::milliseconds time = time_to_abort) noexcept;

    /// Ends an idle communicator in the background. NCCL takes a second for this, because its threads poll twice a
    /// second. The returned future becomes ready when it is done.
    std::future<void> begin_abort(std::shared_ptr<void> kept = nullptr);

  private:
    nccl::Result state() const;
    void settle(const std::string& what, nccl::Result result, const Patience& patience) const;

    const NcclLibrary& library_;
    nccl::Communicator* communicator_ = nullptr;  ///< null once it has ended
    std::int64_t num_collectives_ = 0;
};

}  // namespace crescendo::trainer
