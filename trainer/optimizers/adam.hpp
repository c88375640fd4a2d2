#pragma once

#include <memory>

#include "trainer/settings/optimizer_spec.hpp"
#include "trainer/settings/section.hpp"

namespace crescendo::trainer {

/// `adam` (Kingma and Ba, ICLR 2015), with weight decay as a part of the gradient.
std::shared_ptr<OptimizerSpec> read_adam(Section& section);

/// `adamw`: Adam with weight decay of its own (Loshchilov and Hutter, ICLR 2019).
std::shared_ptr<OptimizerSpec> read_adamw(Section& section);

}  // namespace crescendo::trainer
