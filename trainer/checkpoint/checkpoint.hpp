#pragma once

#include <ATen/core/ivalue.h>

#include <filesystem>
#include <memory>
#include <stdexcept>

#include "trainer/training/trial.hpp"

namespace crescendo::trainer {

/// A file that is no checkpoint, not a whole one, or not as it was written. The message names it.
struct DamagedCheckpoint : std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// A copy of the whole trial as it is now, in the host's memory: a dict of "model" (parameter or buffer → tensor, for
/// load_state_dict), "ema" (parameter or buffer → average, if there is one), "optimizer" (parameter → {state →
/// tensor}), "optimizer_steps", and as JSON texts "progress", "task", "settings" (as the sweep gave them).
c10::IValue checkpoint_of(const Trial& trial, const nlohmann::json& settings);

/// Writes a checkpoint. At every moment either the old file or the new one is there, on the disk itself. Python's
/// torch.load reads the file. Throws WriteError if the disk refuses.
///
/// A "digest" is added to its dict, by which read_checkpoint() finds that the file is damaged: CRC-32 of the rest.
void write_checkpoint(const std::filesystem::path& path, const c10::IValue& checkpoint);

/// Reads a checkpoint: the trial as it was written, on `device`. Throws DamagedCheckpoint, and std::runtime_error that
/// names the file if it cannot be read, or if it holds another model than `settings` describe.
std::unique_ptr<Trial> read_checkpoint(const std::filesystem::path& path, std::int64_t number, std::uint64_t seed,
                                       const Settings& settings, const Device& device);

}  // namespace crescendo::trainer
