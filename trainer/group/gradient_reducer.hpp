#pragma once

#include <ATen/core/Tensor.h>

#include <memory>
#include <vector>

#include "trainer/group/group.hpp"

namespace c10d {
class Reducer;
}

namespace crescendo::trainer {

/// Averages the gradients of a group's members in buckets, while backward still runs. It is the engine of
/// DistributedDataParallel (Li et al., "PyTorch Distributed", VLDB 2020).
///
/// The buckets depend only on the parameters. DistributedDataParallel arranges them again after the first step. A ring
/// adds in an order that depends on a value's place, so a regroup would then change the last bits of the gradients.
class GradientReducer {
  public:
    /// Reduces the gradients of `parameters`, all of which require one, as long as it lives. Every generation makes a
    /// new one.
    GradientReducer(const Group& group, const std::vector<at::Tensor>& parameters);
    ~GradientReducer();

    /// The next backward() ends with the mean of all members' gradients. Without this call gradients only
    /// accumulate. Every parameter must take part in that backward().
    void average_next_backward();

  private:
    std::unique_ptr<c10d::Reducer> reducer_;  ///< null in a group of one
};

}  // namespace crescendo::trainer
