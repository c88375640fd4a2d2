#pragma once

#include <ATen/core/Tensor.h>

#include "datasets/samples/sample_stream.hpp"
#include "trainer/data/task.hpp"
#include "trainer/device/device.hpp"

namespace crescendo::trainer {

/// Samples as the model takes them, on the device.
struct Batch {
    at::Tensor inputs;   ///< (samples, input shape...) of float32; undefined where there are no samples
    at::Tensor targets;  ///< (samples) of int64, or (samples, num_outputs) of float32: of a reconstruction the inputs
};

/// The samples of a slice that holds float32 inputs, and targets of float32 or int64, as the task says. The bytes of
/// the slice are the batch's from then on: on the CPU they are not copied.
Batch make_batch(datasets::Slice& slice, const Task& task, const Device& device);

}  // namespace crescendo::trainer
