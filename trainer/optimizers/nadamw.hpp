#pragma once

#include <memory>

#include "trainer/settings/optimizer_spec.hpp"
#include "trainer/settings/section.hpp"

namespace crescendo::trainer {

/// `nadamw`: AdamW with Nesterov's momentum (Dozat, "Incorporating Nesterov Momentum into Adam", 2016), as torch's
/// NAdam with decoupled weight decay.
std::shared_ptr<OptimizerSpec> read_nadamw(Section& section);

}  // namespace crescendo::trainer
