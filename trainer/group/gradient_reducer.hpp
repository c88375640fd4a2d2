#pragma once

#include <ATen/core/Tensor.h>

#include <memory>
#include <vector>

#include "trainer/group/group.hpp"

namespace c10d {
class Reducer;
}

namespace crescendo::trainer {

/// Averages the gradients of a group's members: in buckets, while backward still runs. It is the engine of
/// DistributedDataParallel (Li et al., "PyTorch Distributed", VLDB 2020).
///
/// The buckets depend only on the parameters. DistributedDataParallel arranges them again after the first step. A ring
/// adds in an order that depends on a value's place, so a regroup would then change the last bits of the gradients.
///
/// Where the device can record backward, few gradients are averaged in one piece after it: to hide their exchange is
/// worth less than a recording, which can have no exchange in it.
class GradientReducer {
  public:
    /// Whether gradients of `parameters` go in one piece in groups of this device.
    static bool goes_in_one_piece(const Device& device, const std::vector<at::Tensor>& parameters);

    /// Reduces the gradients of `parameters`, all of which require one, as long as it lives. Every generation makes a
    /// new one. `group` must outlive it.
    GradientReducer(const Group& group, const std::vector<at::Tensor>& parameters);
    ~GradientReducer();

    /// The next backward() ends with the mean of all members' gradients, or finish() does. Without this call gradients
    /// only accumulate. Every parameter must take part in that backward().
    void average_next_backward();

    /// Call it after that backward(). Throws PeerLost.
    void finish();

    /// Whether backward() has no exchange in it.
    bool in_one_piece() const { return reducer_ == nullptr; }

  private:
    const Group& group_;
    std::unique_ptr<c10d::Reducer> reducer_;  ///< null in a group of one, and if gradients go in one piece
    std::vector<at::Tensor> parameters_;      ///< whose gradients go in one piece; none in a group of one
    at::Tensor piece_;
    std::vector<at::Tensor> places_;  ///< of the gradients in the piece, which lie there as the parameters do
};

}  // namespace crescendo::trainer
