#pragma once

#include <memory>

#include "trainer/settings/optimizer_spec.hpp"
#include "trainer/settings/section.hpp"

namespace crescendo::trainer {

/// `lamb` (You et al., "Large Batch Optimization for Deep Learning", ICLR 2020): Adam whose step in each layer is as
/// long as the layer's weights, times the learning rate. Biases, scales and shifts take Adam's step.
std::shared_ptr<OptimizerSpec> read_lamb(Section& section);

}  // namespace crescendo::trainer
