#pragma once

#include <memory>

#include "trainer/settings/optimizer_spec.hpp"
#include "trainer/settings/section.hpp"

namespace crescendo::trainer {

/// `lars` (You, Gitman and Ginsburg, "Large Batch Training of Convolutional Networks", 2017): sgd with momentum, with a
/// learning rate for each layer that follows from the lengths of its weights and its gradient. Biases, scales and
/// shifts take the step of sgd.
std::shared_ptr<OptimizerSpec> read_lars(Section& section);

}  // namespace crescendo::trainer
