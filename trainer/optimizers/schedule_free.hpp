#pragma once

#include <ATen/core/Tensor.h>

#include <memory>

#include "trainer/settings/optimizer_spec.hpp"
#include "trainer/settings/section.hpp"

namespace crescendo::trainer {

/// `schedule_free`: Schedule-Free AdamW (Defazio et al., "The Road Less Scheduled", NeurIPS 2024). The parameters are
/// the points y where gradients are taken. Evaluations take the average x of the points z, which AdamW would reach.
std::shared_ptr<OptimizerSpec> read_schedule_free(Section& section);

/// The default of the setting `schedule_free_beta`: y = beta x + (1 - beta) z.
inline constexpr double default_schedule_free_beta = 0.9;

/// x of a parameter's y and z.
at::Tensor schedule_free_average(const at::Tensor& y, const at::Tensor& z, double beta);

}  // namespace crescendo::trainer
