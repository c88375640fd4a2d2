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

/// A collective failed because another member is gone or did not answer within the time-out.
class PeerLost : public std::runtime_error {
  public:
    using std::runtime_error::runtime_error;
};

/// Call it in a `catch (...)`: turns what Gloo, NCCL and the control channel throw into PeerLost. Rethrows everything
/// else unchanged, including NCCL errors that are this worker's own (blames_this_worker()).
[[noreturn]] void rethrow_as_peer_lost();

/// Runs an operation in which the whole group takes part, and turns its failure into PeerLost.
template <class Operation>
auto collective(Operation&& operation) {
    try {
        return operation();
    } catch (...) {
        rethrow_as_peer_lost();
    }
}

/// The workers of a trial during one generation, from the view of one of them. A group of one does not communicate.
///
/// All members make the same calls in the same order.
class Group {
  public:
    struct Options {
        int rank = 0;
        int size = 2;
        std::chrono::milliseconds timeout{};  ///< time-out of forming the group and of each collective
        std::function<bool()> interrupted;    ///< whether waiting for the others has become pointless
        /// Called now and then while this member waits, but in finish() only for twice the time-out: a member that
        /// waits longer hangs. Null: nothing is called.
        std::function<void()> waiting = {};
    };

    /// A group of one. `device` must outlive the group.
    explicit Group(const Device& device);
    /// Meets the other members through `store`. Throws PeerLost if that fails; members that wait for this one get
    /// PeerLost too. If the cause is this worker (its memory, its GPU, its use of NCCL), throws the original error.
    Group(const Device& device, const c10::intrusive_ptr<c10d::Store>& store, Options options);
    Group(Group&& other) noexcept;
    Group& operator=(Group&&) = delete;
    /// Ends the group. Errors are only logged.
    ~Group();

    int rank() const { return rank_; }
    int size() const { return size_; }
    const Device& device() const { return device_; }

    /// Returns the sum of `numbers` over all members, element by element.
    std::vector<double> sum(const std::vector<double>& numbers) const;

    /// Sums numbers on the device over all members, element by element and in place. Every member gets the same bits.
    /// On a GPU this does not wait, and finish() reports a failure.
    void sum(at::Tensor& numbers) const;

    /// Returns rank 0's bytes on every member.
    std::string broadcast(const std::string& bytes) const;

    /// Whether a member still needs the old content of its tensors if a block arrives only in part.
    enum class Before { kept, lost };

    /// Copies rank 0's values into the tensors of every member. Tensors of one type travel in blocks of at most
    /// `block_bytes`, or of one tensor row if that is larger; a block is the extra memory that is needed. The tensors
    /// lie on the group's device. All members pass tensors of the same types and shapes; each chooses its own `before`,
    /// which decides the state of its tensors if this throws.
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
