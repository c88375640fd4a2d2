#pragma once

#include <ATen/core/Tensor.h>

#include <memory>
#include <vector>

#include "trainer/group/group.hpp"

namespace c10d {
class Reducer;
}

namespace crescendo::trainer {

/// Averages the gradients of a group's members in buckets, while backward still runs. It uses the Reducer of
/// DistributedDataParallel (Li et al., "PyTorch Distributed", VLDB 2020).
///
/// The buckets depend only on the parameters. (DistributedDataParallel rearranges them after the first step. A ring
/// adds in an order that depends on a value's place, so a regroup would then change the last bits of the gradients.)
///
/// If the device can record backward and the gradients are small, they are averaged in one piece after backward: hiding
/// their exchange gains less than a recording, which cannot contain an exchange.
class GradientReducer {
  public:
    /// Whether groups on this device average the gradients of `parameters` in one piece.
    static bool goes_in_one_piece(const Device& device, const std::vector<at::Tensor>& parameters);

    /// Reduces the gradients of `parameters`, all of which require a gradient, as long as the reducer lives. Every
    /// generation makes a new reducer. `group` must outlive it.
    GradientReducer(const Group& group, const std::vector<at::Tensor>& parameters);
    ~GradientReducer();

    /// Makes the next backward(), or else finish(), replace the gradients by their mean over all members. Without this
    /// call, gradients only accumulate. Every parameter must take part in that backward().
    void average_next_backward();

    /// Call it after the backward() that average_next_backward() announced. Throws PeerLost.
    void finish();

    /// Whether backward() runs without an exchange: in a group of one, and if gradients are averaged in one piece.
    bool in_one_piece() const { return reducer_ == nullptr; }

  private:
    const Group& group_;
    std::unique_ptr<c10d::Reducer> reducer_;  ///< null in a group of one, and if gradients go in one piece
    std::vector<at::Tensor> parameters_;      ///< those averaged in one piece; none in a group of one
    at::Tensor piece_;
    std::vector<at::Tensor> places_;  ///< views of the gradients in `piece_`, with the parameters' strides
};

}  // namespace crescendo::trainer
