#pragma once

#include <ATen/core/Tensor.h>

namespace crescendo::trainer {

/// The default of the setting `schedule_free_beta`: y = beta x + (1 - beta) z.
inline constexpr double default_schedule_free_beta = 0.9;

/// Computes x from a parameter's y and z.
at::Tensor schedule_free_average(const at::Tensor& y, const at::Tensor& z, double beta);

}  // namespace crescendo::trainer
