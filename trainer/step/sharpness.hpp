#pragma once

#include <ATen/core/Tensor.h>

#include <vector>

namespace crescendo::trainer {

/// Moves the parameters along their gradients by `distance`, over all of them together: to where the loss is highest
/// nearby, to first order. The gradients of that place lead to flat minima (Foret et al., "Sharpness-Aware Minimization
/// for Efficiently Improving Generalization", ICLR 2021). Members of a group, whose gradients are equal, move equally.
void climb(const std::vector<at::Tensor>& parameters, double distance);

}  // namespace crescendo::trainer
