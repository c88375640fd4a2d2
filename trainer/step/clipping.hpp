#pragma once

#include <ATen/core/Tensor.h>

#include <vector>

namespace crescendo::trainer {

/// Limits the gradients of the parameters, in place: first each number to ±`most_value`, then the norm over all of them
/// to `most_norm` (Pascanu et al., "On the difficulty of training recurrent neural networks", ICML 2013). 0 means no
/// limit. Members of a group have equal gradients, so they clip equally.
void clip_gradients(const std::vector<at::Tensor>& parameters, double most_norm, double most_value);

}  // namespace crescendo::trainer
