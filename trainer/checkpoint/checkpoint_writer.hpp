#pragma once

#include <chrono>
#include <filesystem>
#include <future>
#include <nlohmann/json_fwd.hpp>
#include <optional>

#include "trainer/checkpoint/checkpoint_pace.hpp"
#include "trainer/training/trial.hpp"

namespace crescendo::trainer {

/// Writes the checkpoints of one trial: before milestones, while its group waits, and between milestones, beside the
/// training.
///
/// Between milestones, training stops only while the state is copied in memory. So members that wait for this one in a
/// collective do not wait for a disk. Where no thread can be made that writes beside the training, they do.
class CheckpointWriter {
  public:
    /// `every` is Settings::checkpoint_every, and counts from now on.
    CheckpointWriter(std::filesystem::path path, std::optional<std::chrono::seconds> every);

    /// Writes the trial as it is now, and waits until it is on the disk. Throws WriteError.
    void save(const Trial& trial, const nlohmann::json& settings);

    /// Begins to save the trial as it is now, if that is due. Throws what kept a checkpoint from the disk, mostly an
    /// earlier one.
    void save_if_due(const Trial& trial, const nlohmann::json& settings);

    /// Waits for the checkpoint that was begun; afterwards the file is not touched. Throws what kept it from the disk.
    /// The destructor also waits, but does not throw.
    void finish();

  private:
    using Time = CheckpointPace::Time;

    void begin(const Trial& trial, const nlohmann::json& settings);
    bool is_writing() const;

    const std::filesystem::path path_;
    CheckpointPace pace_;
    Time began_;
    std::future<Time> written_;  ///< when it was written; valid from begin() to finish()
};

}  // namespace crescendo::trainer
