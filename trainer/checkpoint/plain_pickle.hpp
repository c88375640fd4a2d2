#pragma once

#include <ATen/core/ivalue.h>

#include <string>

namespace crescendo::trainer {

/// The bytes of a file that torch::pickle_load and Python's torch.load read.
///
/// torch::pickle_save would tag every dict with its TorchScript type, by a function that torch.load calls only with
/// weights_only=False; here a dict is a dict.
std::string pickle_plainly(const c10::IValue& value);

}  // namespace crescendo::trainer
