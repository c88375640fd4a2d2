#pragma once

#include <ATen/core/Tensor.h>

#include <string>

#include "trainer/data/task.hpp"
#include "trainer/models/model.hpp"

namespace crescendo::trainer {

// What a user's network is asked before a trial has it.

/// Numbers from 0 to 1 as inputs of some samples, the same ones each time: two, or three where a sample has two
/// outputs. So outputs with their axes in the wrong order do not pass for others.
at::Tensor dry_inputs(const Task& task);

/// "two samples": how many dry_inputs() are.
std::string dry_samples(const Task& task);

/// Throws InvalidInput, of the key trainer.model, if the network keeps something between two calls that no checkpoint
/// has: then the second one of two equal calls, with buffers as they were, differs, in training or in evaluation. Also
/// if it changes its inputs, which a step may run twice. Leaves the network in evaluation mode, with other buffers.
void expect_stateless(Model& model, const at::Tensor& inputs, const std::string& who);

}  // namespace crescendo::trainer
