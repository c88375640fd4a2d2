#pragma once

#include <ATen/core/Tensor.h>
#include <torch/nn/module.h>

#include <cstdint>
#include <functional>

namespace crescendo::trainer {

/// Runs the forward() of a user's network on `num_samples`, also where its batch norms refuse to train: a single sample
/// may give a channel a single value, which has no variance. Then the buffers of `network` are put back, and it is run
/// once more while its batch norms take their running statistics, and learn nothing for them, as layers/batch_norm.hpp
/// does. The last batch of an epoch may come to that when a group shares it out; a trial should not end for it.
///
/// `evaluate_norms` puts the batch norms in evaluation mode, or (false) back in training mode.
at::Tensor run_with_lone_value(const torch::nn::Module& network, std::int64_t num_samples,
                               const std::function<at::Tensor()>& forward,
                               const std::function<void(bool)>& evaluate_norms);

}  // namespace crescendo::trainer
