#pragma once

#include <memory>

#include "trainer/settings/optimizer_spec.hpp"
#include "trainer/settings/section.hpp"

namespace crescendo::trainer {

/// `schedule_free`: Schedule-Free AdamW (Defazio et al., "The Road Less Scheduled", NeurIPS 2024). The parameters are
/// the points y where gradients are taken. Evaluations take the average x of the points z, which AdamW would reach.
std::shared_ptr<OptimizerSpec> read_schedule_free(Section& section);

}  // namespace crescendo::trainer
