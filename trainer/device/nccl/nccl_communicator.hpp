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

/// A communicator failed, or did not do in time what it was to do. What NCCL itself says about it is in the message, in
/// the form that blames_this_worker() reads.
class NcclError : public std::runtime_error {
  public:
    using std::runtime_error::runtime_error;
};

/// A communicator of NCCL, as one of its members sees it. It never waits within NCCL: every wait looks for errors, ends
/// at a time-out, and asks whether to give up. One thread at a time uses it.
class NcclCommunicator {
  public:
    /// How long the end of a communicator is waited for.
    static constexpr std::chrono::seconds time_to_abort{5};

    /// Meets the other `size` - 1 members that were given this id. `library` must outlive it. Throws NcclError.
    NcclCommunicator(const NcclLibrary& library, const nccl::UniqueId& id, int rank, int size,
                     const Patience& patience);
    NcclCommunicator(const NcclCommunicator&) = delete;
    NcclCommunicator& operator=(const NcclCommunicator&) = delete;
    ~NcclCommunicator();

    /// Asks for the sum over all members, in place, once `stream` has done what it was asked before. Returns as soon as
    /// it is asked for; the first one connects the members before. The numbers are NCCL's until the stream is there.
    /// Throws NcclError.
    void all_reduce(void* numbers, std::size_t count, nccl::DataType type, nccl::Stream stream,
                    const Patience& patience);
    /// Asks for the numbers of member `root`, as above.
    void broadcast(void* numbers, std::size_t count, nccl::DataType type, int root, nccl::Stream stream,
                   const Patience& patience);

    /// How many collectives it was asked for.
    std::int64_t num_collectives() const { return num_collectives_; }
    bool has_failed() const;

    /// Waits until `done`. Throws NcclError if the communicator fails, or if patience ends; `what` is what was waited
    /// for, for the message.
    void wait(const std::string& what, const std::function<bool()>& done, const Patience& patience) const;

    /// Ends the communicator, whatever its other members do, and with it what it still does; it is not used again.
    /// Returns false, with a line in the log, if NCCL has not ended it within `time`: then it, and `kept`, stay.
    bool abort(std::shared_ptr<void> kept = nullptr, std::chrono::milliseconds time = time_to_abort) noexcept;

    /// The same for a communicator that has nothing to do. NCCL takes a second for it, as its threads look up twice a
    /// second; what this returns says when it is done.
    std::future<void> begin_abort(std::shared_ptr<void> kept = nullptr);

  private:
    nccl::Result state() const;
    void settle(const std::string& what, nccl::Result result, const Patience& patience) const;

    const NcclLibrary& library_;
    nccl::Communicator* communicator_ = nullptr;  ///< null once it has ended
    std::int64_t num_collectives_ = 0;
};

}  // namespace crescendo::trainer
