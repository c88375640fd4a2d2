#pragma once

#include <string>
#include <vector>

#include "trainer/settings/settings.hpp"

namespace at {
class Tensor;
}

namespace crescendo::trainer {

struct Task;

/// A loss that is not in `Loss`, with its own settings.
class LossSpec {
  public:
    virtual ~LossSpec() = default;

    /// The loss summed over the samples, a scalar. Arguments as in loss_sum().
    virtual at::Tensor sum(const at::Tensor& outputs, const at::Tensor& targets) const = 0;

    /// Returns what keeps a trial from minimising the loss.
    virtual std::vector<Problem> misfits_of_task(const Task& task) const = 0;

    std::string name;  ///< the word that chose it
};

}  // namespace crescendo::trainer
