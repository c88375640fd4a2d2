#pragma once

#include <memory>

#include "trainer/settings/optimizer_spec.hpp"
#include "trainer/settings/section.hpp"

namespace crescendo::trainer {

/// `rmsprop` (Tieleman and Hinton, 2012), also with momentum, and centered (Graves, 2013), with weight decay as a part
/// of the gradient.
std::shared_ptr<OptimizerSpec> read_rmsprop(Section& section);

}  // namespace crescendo::trainer
