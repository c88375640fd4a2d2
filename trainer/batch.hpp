#pragma once

#include <ATen/core/Tensor.h>

#include "datasets/sample_stream.hpp"
#include "trainer/device.hpp"
#include "trainer/task.hpp"

namespace crescendo::trainer {

/// Samples as the model takes them, on the device.
struct Batch {
    at::Tensor inputs;   ///< (samples, input shape...) of float32
    at::Tensor targets;  ///< (samples) of int64, or (samples, num_outputs) of float32: of a reconstruction the inputs
};

/// The samples of a slice that holds float32 inputs, and targets of float32 or int64, as the task says. On the CPU the
/// batch shares the slice's memory: keep the slice as long as the batch.
Batch make_batch(datasets::Slice& slice, const Task& task, const Device& device);

}  // namespace crescendo::trainer
