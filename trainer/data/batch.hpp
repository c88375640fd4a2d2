#pragma once

#include <ATen/core/Tensor.h>

#include "datasets/samples/sample_stream.hpp"
#include "trainer/data/task.hpp"
#include "trainer/device/device.hpp"

namespace crescendo::trainer {

/// Samples as the model takes them, on the device.
struct Batch {
    at::Tensor inputs;   ///< (samples, input shape...) of float32; undefined if there are no samples
    at::Tensor targets;  ///< (samples) of int64, or (samples, num_outputs) of float32; a reconstruction: the inputs
};

/// Makes the inputs of a slice that has samples. They take over its bytes; on the CPU these are not copied.
/// Throws std::runtime_error for what is to be reconstructed and is no share, where the task wants these.
at::Tensor make_inputs(datasets::Slice& slice, const Task& task, const Device& device);

/// Makes the targets of a slice that has samples, as make_inputs() does. A reconstruction's are its `inputs`.
/// Throws std::runtime_error for a class that the model does not know, and for what is no share where the task wants
/// these.
at::Tensor make_targets(datasets::Slice& slice, const at::Tensor& inputs, const Task& task, const Device& device);

/// Makes the batch of a slice that holds float32 inputs, and targets of float32 or int64, as the task says. The batch
/// takes over the slice's bytes; on the CPU they are not copied.
Batch make_batch(datasets::Slice& slice, const Task& task, const Device& device);

}  // namespace crescendo::trainer
