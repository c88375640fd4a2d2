#pragma once

#include <filesystem>
#include <memory>

#include "trainer/training/trial.hpp"

namespace crescendo::trainer {

/// Writes the whole trial so that at every moment either the old file or the new one is there, on the disk itself.
///
/// Python's torch.load reads the file as a dict: "model" (parameter → tensor, for load_state_dict),
/// "optimizer" (parameter → {state → tensor}), "optimizer_steps", and as JSON texts "progress", "task", "settings" (as
/// the sweep gave them). Throws std::system_error where the disk refuses.
void write_checkpoint(const std::filesystem::path& path, const Trial& trial, const nlohmann::json& settings);

/// The trial as it was written, on `device`. Throws std::runtime_error that names the file where it cannot
/// be read or holds another model than `settings` describe.
std::unique_ptr<Trial> read_checkpoint(const std::filesystem::path& path, std::int64_t number, std::uint64_t seed,
                                       const Settings& settings, const Device& device);

}  // namespace crescendo::trainer
