#pragma once

#include <ATen/core/ivalue.h>

#include <filesystem>

namespace crescendo::trainer {

/// Writes a file that unpickle(), torch::pickle_load and Python's torch.load read. At every moment either the old file
/// or the new one is there, on the disk itself. Throws WriteError if the disk refuses.
///
/// torch::pickle_save would tag every dict with its TorchScript type, by a function that torch.load calls only with
/// weights_only=False; here a dict is a dict.
void write_plainly(const std::filesystem::path& path, const c10::IValue& value);

/// Reads a file of write_plainly(), each tensor at once and into its own memory. Throws c10::Error if it is not such a
/// file.
c10::IValue unpickle(const std::filesystem::path& path);

}  // namespace crescendo::trainer
