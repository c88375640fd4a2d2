#pragma once

#include <ATen/core/Tensor.h>

#include "trainer/data/task.hpp"

namespace crescendo::trainer {

/// The weights of a task's classes and rows, as float64 on the device that computes the loss. A trial makes them once,
/// because a step that copies from host memory cannot be recorded (RecordedGradients).
struct LossWeights {
    at::Tensor classes;  ///< Task::class_weights; undefined: all are 1
    at::Tensor rows;     ///< Task::row_weights; undefined: all are 1
};

LossWeights loss_weights(const Task& task, const at::Device& place);

/// The loss summed over the samples, a scalar. A sample's loss is the cross entropy; for numbers, it is the mean loss
/// over the sample's outputs, or the sample's relative error. `weights` are the task's weights. `outputs` (samples,
/// num_outputs), `targets` (samples) of int64 or (samples, num_outputs) of float32.
at::Tensor loss_sum(const LossSettings& settings, const Task& task, const LossWeights& weights,
                    const at::Tensor& outputs, const at::Tensor& targets);

/// Sum of `numbers` (samples, num_outputs) with the task's row weights, a scalar.
at::Tensor weighed_sum(const Task& task, const LossWeights& weights, const at::Tensor& numbers);

/// The L2 norm of each sample's error divided by the norm of its target, (samples); not divided if the target is zero.
/// `outputs` and `targets` (samples, num_outputs). Norms use the task's row weights: a norm is the root of the weighted
/// sum of squares.
at::Tensor relative_errors(const Task& task, const LossWeights& weights, const at::Tensor& outputs,
                           const at::Tensor& targets);

/// Number of samples whose most likely class is correct, a scalar.
at::Tensor num_correct(const at::Tensor& outputs, const at::Tensor& targets);

}  // namespace crescendo::trainer
