#pragma once

#include <ATen/core/Tensor.h>

#include <chrono>
#include <cstddef>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

#include "trainer/device/device.hpp"

namespace crescendo::trainer {

/// A collective failed, because another member is gone or did not answer within the time-out.
class PeerLost : public std::runtime_error {
  public:
    using std::runtime_error::runtime_error;
};

/// Call it in a `catch (...)`: what Gloo, NCCL and the control channel throw becomes PeerLost. Everything else is
/// thrown on as it is, and so are errors of NCCL that are this worker's own (blames_this_worker()).
[[noreturn]] void rethrow_as_peer_lost();

/// Performs an operation in which the whole group takes part, and turns its failure into PeerLost.
template <class Operation>
auto collective(Operation&& operation) {
    try {
        return operation();
    } catch (...) {
        rethrow_as_peer_lost();
    }
}

/// The workers of a trial during one generation, as one of them sees it. A group of one does not communicate.
///
/// All members make the same calls in the same order.
class Group {
  public:
    struct Options {
        int rank = 0;
        int size = 2;
        std::chrono::milliseconds timeout{};  ///< time-out of forming the group and of each collective
        std::function<bool()> interrupted;    ///< says whether waiting for the others has become pointless
        /// Called now and then while this member waits. In finish() for up to twice the time-out: who waits for longer
        /// hangs. Null: nothing is called.
        std::function<void()> waiting = {};
    };

    /// A group of one. `device` must outlive the group.
    explicit Group(const Device& device);
    /// Meets the others through `store`. Throws PeerLost if that fails; members that wait for this one get the same.
    /// Where the cause is this worker (its memory, its GPU, how NCCL is used), the error itself is thrown.
    Group(const Device& device, const c10::intrusive_ptr<c10d::Store>& store, Options options);
    Group(Group&& other) noexcept;
    Group& operator=(Group&&) = delete;
    /// Ends the group. What goes wrong then is a line of the log, no more.
    ~Group();

    int rank() const { return rank_; }
    int size() const { return size_; }
    const Device& device() const { return device_; }

    /// Sums numbers over all members, element by element.
    std::vector<double> sum(const std::vector<double>& numbers) const;

    /// Sums numbers on the device over all members, element by element and in place. Every member gets the same bits.
    /// On a GPU this does not wait; a failure of it comes out of finish().
    void sum(at::Tensor& numbers) const;

    /// Gives rank 0's bytes to every member.
    std::string broadcast(const std::string& bytes) const;

    /// Whether a member needs what its tensors held, if not all of a block arrives.
    enum class Before { kept, lost };

    /// Copies rank 0's values into the tensors of every member, those of one type in blocks of `block_bytes` at most,
    /// or of one row of a tensor that is larger: so much memory is needed beside them. The tensors lie on the group's
    /// device. All members pass tensors of the same types and shapes; each says for itself what becomes of its own if
    /// this throws.
    void broadcast(const std::vector<at::Tensor>& tensors, Before before = Before::kept,
                   std::size_t block_bytes = std::size_t{16} << 20) const;

    /// Call it before the results of collectives are used. Throws PeerLost if a collective has failed.
    void finish() const;

    /// The process group for the gradients; null in a group of one.
    const c10::intrusive_ptr<c10d::ProcessGroup>& process_group() const { return process_group_; }

  private:
    void broadcast_block(at::Tensor block) const;

    const Device& device_;
    int rank_ = 0;
    int size_ = 1;
    std::chrono::milliseconds timeout_{};
    std::function<bool()> interrupted_;
    std::function<void()> waiting_;
    c10::intrusive_ptr<c10d::ProcessGroup> process_group_;
};

}  // namespace crescendo::trainer
