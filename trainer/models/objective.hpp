#pragma once

#include <ATen/core/Tensor.h>

#include "trainer/data/task.hpp"

namespace crescendo::trainer {

/// Sum over the samples of the loss, a scalar: cross entropy; or the loss of numbers, the mean over a sample's outputs,
/// or its relative error.
/// `outputs` (samples, num_outputs), `targets` (samples) of int64 or (samples, num_outputs) of float32.
at::Tensor loss_sum(const LossSettings& settings, const Task& task, const at::Tensor& outputs,
                    const at::Tensor& targets);

/// The length of each sample's error over that of its target, (samples); the length itself where the target is zero.
/// `outputs` and `targets` (samples, num_outputs).
at::Tensor relative_errors(const at::Tensor& outputs, const at::Tensor& targets);

/// Number of samples whose likeliest class is the right one, a scalar.
at::Tensor num_correct(const at::Tensor& outputs, const at::Tensor& targets);

}  // namespace crescendo::trainer
