#pragma once

#include <ATen/core/Tensor.h>
#include <torch/nn/module.h>

#include <cstdint>
#include <functional>

namespace crescendo::trainer {

/// Runs the forward() of a user's network on `num_samples` samples, even if its batch norms refuse to train: a single
/// sample may give a channel a single value, which has no variance. In that case the buffers of `network` are restored,
/// and it runs again while its batch norms use their running statistics without changing them, like
/// layers/batch_norm.hpp. A member's share of an epoch's last batch may be that small, and a trial should not fail
/// because of that.
///
/// `evaluate_norms(true)` puts the batch norms in evaluation mode, `evaluate_norms(false)` back in training mode.
at::Tensor run_with_lone_value(const torch::nn::Module& network, std::int64_t num_samples,
                               const std::function<at::Tensor()>& forward,
                               const std::function<void(bool)>& evaluate_norms);

}  // namespace crescendo::trainer
