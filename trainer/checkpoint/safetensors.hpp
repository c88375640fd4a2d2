#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "trainer/models/named_tensor.hpp"

namespace crescendo::trainer {

/// Why the format cannot hold these tensors, the first of a type that it lacks; empty if it can.
std::string misfit_of_safetensors(const std::vector<NamedTensor>& tensors);

/// Writes tensors as a file of the safetensors format, version 1, which holds names, types, shapes and numbers, and
/// nothing that a reader would execute (https://github.com/huggingface/safetensors). Throws WriteError, and
/// std::runtime_error for a type that the format lacks.
void write_safetensors(const std::filesystem::path& path, const std::vector<NamedTensor>& tensors);

/// Reads such a file: copies of its tensors by their names. Throws std::runtime_error if it is none, or has a type that
/// torch lacks.
std::map<std::string, at::Tensor> read_safetensors(const std::filesystem::path& path);

}  // namespace crescendo::trainer
