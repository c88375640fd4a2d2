#pragma once

#include <ATen/core/Tensor.h>

#include "datasets/sample_set.hpp"
#include "datasets/sample_stream.hpp"
#include "trainer/device.hpp"
#include "trainer/task.hpp"

namespace crescendo::trainer {

/// Samples as the model takes them, on the device.
struct Batch {
    at::Tensor inputs;   ///< (samples, input shape...) of float32; bytes (u8) are scaled to [0, 1]
    at::Tensor targets;  ///< (samples) of int64, or (samples, num_outputs) of float32: of a reconstruction the inputs
};

/// The slice's samples. On the CPU a batch may share the slice's memory: keep the slice as long as the batch.
Batch make_batch(datasets::Slice& slice, const datasets::SampleSet& samples, const Task& task, const Device& device);

}  // namespace crescendo::trainer
