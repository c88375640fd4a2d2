#pragma once

#include <ATen/core/ivalue.h>

#include <filesystem>

namespace crescendo::trainer {

/// Writes a file that unpickle(), torch::pickle_load and Python's torch.load read. The write is atomic and durable: at
/// every moment the disk has either the complete old file or the complete new one. Throws WriteError if writing fails.
///
/// torch::pickle_save is not used, because it tags every dict with its TorchScript type through a function that
/// torch.load calls only with weights_only=False. Here a dict is a plain dict.
void write_plainly(const std::filesystem::path& path, const c10::IValue& value);

/// Reads a file that write_plainly() wrote. Each tensor is read in one piece, into memory of its own. Throws c10::Error
/// or std::runtime_error for any other file.
c10::IValue unpickle(const std::filesystem::path& path);

}  // namespace crescendo::trainer
