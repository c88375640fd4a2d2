#pragma once

#include <ATen/core/Tensor.h>

#include "trainer/data/task.hpp"

namespace crescendo::trainer {

/// What a task's classes and rows weigh, as float64 on the device that computes the loss. A trial makes them once,
/// because a step that copies from host memory cannot be recorded (RecordedGradients).
struct LossWeights {
    at::Tensor classes;  ///< of Task::class_weights; undefined: all are 1
    at::Tensor rows;     ///< of Task::row_weights; undefined: all are 1
};

LossWeights loss_weights(const Task& task, const at::Device& place);

/// Sum over the samples of the loss, a scalar: cross entropy; or the loss of numbers, the mean over a sample's outputs,
/// or its relative error. `weights` are those of the task.
/// `outputs` (samples, num_outputs), `targets` (samples) of int64 or (samples, num_outputs) of float32.
at::Tensor loss_sum(const LossSettings& settings, const Task& task, const LossWeights& weights,
                    const at::Tensor& outputs, const at::Tensor& targets);

/// Sum of (samples, num_outputs), a scalar. Rows weigh as the task says.
at::Tensor weighed_sum(const Task& task, const LossWeights& weights, const at::Tensor& numbers);

/// The length of each sample's error over that of its target, (samples); the length itself where the target is zero.
/// `outputs` and `targets` (samples, num_outputs). Rows weigh as the task says: a length is the root of the weighed sum
/// of squares.
at::Tensor relative_errors(const Task& task, const LossWeights& weights, const at::Tensor& outputs,
                           const at::Tensor& targets);

/// Number of samples whose likeliest class is the right one, a scalar.
at::Tensor num_correct(const at::Tensor& outputs, const at::Tensor& targets);

}  // namespace crescendo::trainer
