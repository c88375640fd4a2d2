#pragma once

#include <memory>

#include "trainer/settings/optimizer_spec.hpp"
#include "trainer/settings/section.hpp"

namespace crescendo::trainer {

/// `sgd`: stochastic gradient descent with momentum, also Nesterov's.
std::shared_ptr<OptimizerSpec> read_sgd(Section& section);

}  // namespace crescendo::trainer
