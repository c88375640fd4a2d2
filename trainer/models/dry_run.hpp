#pragma once

#include <ATen/core/Tensor.h>

#include <string>

#include "trainer/data/task.hpp"
#include "trainer/models/model.hpp"

namespace crescendo::trainer {

// Checks of a user's network before a trial uses it.

/// Inputs of a few samples: numbers from 0 to 1, the same in each call. There are two samples, or three if a sample has
/// two outputs, so that outputs with swapped axes do not pass the check.
at::Tensor dry_inputs(const Task& task);

/// The number of samples in dry_inputs() as text: "two samples".
std::string dry_samples(const Task& task);

/// Throws InvalidInput with the key trainer.model if the network has state that checkpoints do not save: if two equal
/// calls with the same buffers give different outputs, in training or in evaluation mode. Also throws if the network
/// changes its inputs, because a step may run them twice. Leaves the network in evaluation mode, with changed buffers.
void expect_stateless(Model& model, const at::Tensor& inputs, const std::string& who);

}  // namespace crescendo::trainer
