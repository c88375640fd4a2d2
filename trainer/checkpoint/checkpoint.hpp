#pragma once

#include <ATen/core/ivalue.h>

#include <filesystem>
#include <memory>
#include <stdexcept>

#include "trainer/training/trial.hpp"

namespace crescendo::trainer {

/// The file is not a checkpoint, is incomplete, or has changed since it was written. The message names the file.
struct DamagedCheckpoint : std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// Copies the whole present state of the trial to host memory: a dict of "model" (parameter or buffer → tensor, for
/// load_state_dict), "ema" (parameter or buffer → average, if there is one), "optimizer" (parameter → {state →
/// tensor}), "optimizer_steps", and as JSON texts "progress", "task", "settings" (as the sweep gave them).
c10::IValue checkpoint_of(const Trial& trial, const nlohmann::json& settings);

/// Writes a checkpoint atomically and durably: at every moment the disk has either the complete old file or the
/// complete new one. Python's torch.load can read the file. Throws WriteError if writing fails.
///
/// Adds a "digest" to the dict: the CRC-32 of the rest, by which read_checkpoint() detects damage.
void write_checkpoint(const std::filesystem::path& path, const c10::IValue& checkpoint);

/// Reads a checkpoint and rebuilds its trial on `device`. Throws DamagedCheckpoint, or std::runtime_error that names
/// the file if it cannot be read or holds another model than `settings` describe. Out-of-memory errors stay unchanged.
std::unique_ptr<Trial> read_checkpoint(const std::filesystem::path& path, std::int64_t number, std::uint64_t seed,
                                       const Settings& settings, const Device& device);

/// Throws DamagedCheckpoint as read_checkpoint() does, or std::runtime_error if the file cannot be read. Needs no
/// trial.
void require_undamaged(const std::filesystem::path& path);

}  // namespace crescendo::trainer
