#pragma once

#include <ATen/core/Tensor.h>

#include "datasets/samples/sample_stream.hpp"
#include "trainer/data/task.hpp"
#include "trainer/device/device.hpp"

namespace crescendo::trainer {

/// Samples on the device, in the form that the model takes.
struct Batch {
    at::Tensor inputs;   ///< (samples, input shape...) of float32; undefined if there are no samples
    at::Tensor targets;  ///< (samples) of int64, or (samples, num_outputs) of float32; for a reconstruction, the inputs
};

/// Makes the inputs of a slice with at least one sample. They take over the slice's bytes, which are not copied on the
/// CPU. Throws std::runtime_error if the task reconstructs shares (Task::wants_shares) and a number is outside 0 to 1.
at::Tensor make_inputs(datasets::Slice& slice, const Task& task, const Device& device);

/// Makes the targets of a slice with at least one sample, as make_inputs() does. For a reconstruction, these are
/// `inputs`. Throws std::runtime_error for a class that the model does not know, and for a number outside 0 to 1 if the
/// task wants shares (Task::wants_shares).
at::Tensor make_targets(datasets::Slice& slice, const at::Tensor& inputs, const Task& task, const Device& device);

/// Makes the batch of a slice with float32 inputs, and with float32 or int64 targets, as the task says. The batch takes
/// over the slice's bytes, which are not copied on the CPU.
Batch make_batch(datasets::Slice& slice, const Task& task, const Device& device);

}  // namespace crescendo::trainer
