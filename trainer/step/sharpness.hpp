#pragma once

#include <ATen/core/Tensor.h>

#include <vector>

namespace crescendo::trainer {

/// Moves the parameters along their gradients by `distance`, the L2 norm over all parameters together. To first order,
/// the loss is highest there within this distance. Gradients at that point lead to flat minima (Foret et al.,
/// "Sharpness-Aware Minimization for Efficiently Improving Generalization", ICLR 2021). Members of a group have equal
/// gradients, so they move equally.
void climb(const std::vector<at::Tensor>& parameters, double distance);

}  // namespace crescendo::trainer
