#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "trainer/models/named_tensor.hpp"

namespace crescendo::trainer {

/// Why the safetensors format cannot hold these tensors: the first one whose type it lacks. Empty if it can hold them
/// all.
std::string misfit_of_safetensors(const std::vector<NamedTensor>& tensors);

/// Writes tensors in the safetensors format, version 1: names, types, shapes and numbers, but no code that a reader
/// would execute (https://github.com/huggingface/safetensors). Throws WriteError, or std::runtime_error for a type that
/// the format lacks.
void write_safetensors(const std::filesystem::path& path, const std::vector<NamedTensor>& tensors);

/// Reads a safetensors file, and returns copies of its tensors by name. Throws std::runtime_error if the file has
/// another format, or a type that torch lacks.
std::map<std::string, at::Tensor> read_safetensors(const std::filesystem::path& path);

}  // namespace crescendo::trainer
