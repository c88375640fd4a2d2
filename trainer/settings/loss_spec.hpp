#pragma once

#include <string>
#include <vector>

#include "trainer/settings/settings.hpp"

namespace at {
class Tensor;
}

namespace crescendo::trainer {

struct Task;

/// A loss beside those of `Loss`, with its own settings.
class LossSpec {
  public:
    virtual ~LossSpec() = default;

    /// Sum over the samples of the loss, a scalar; the arguments are those of loss_sum().
    virtual at::Tensor sum(const at::Tensor& outputs, const at::Tensor& targets) const = 0;

    /// What keeps a trial from minimising the loss.
    virtual std::vector<Problem> misfits_of_task(const Task& task) const = 0;

    std::string name;  ///< the word that chose it
};

}  // namespace crescendo::trainer
