#pragma once

#include <chrono>
#include <filesystem>
#include <future>
#include <nlohmann/json_fwd.hpp>
#include <optional>

#include "trainer/checkpoint/checkpoint_pace.hpp"
#include "trainer/training/trial.hpp"

namespace crescendo::trainer {

/// Writes the checkpoints of one trial: at milestones while the group waits, and between milestones on a thread while
/// training continues.
///
/// Between milestones, training stops only while the state is copied in memory. So members that wait for this one in a
/// collective do not wait for a disk. They do if no thread can be started for the writing.
class CheckpointWriter {
  public:
    /// `every` is Settings::checkpoint_every, and counts from now on.
    CheckpointWriter(std::filesystem::path path, std::optional<std::chrono::seconds> every);

    /// Writes the trial as it is now, and waits until it is on the disk. Throws WriteError.
    void save(const Trial& trial, const nlohmann::json& settings);

    /// Starts to save the trial as it is now, if a checkpoint is due. Throws the error of a failed write, usually that
    /// of an earlier checkpoint.
    void save_if_due(const Trial& trial, const nlohmann::json& settings);

    /// Waits for the checkpoint in progress; after that, the file is not touched. Throws the error if the write failed.
    /// The destructor also waits, but does not throw.
    void finish();

  private:
    using Time = CheckpointPace::Time;

    void begin(const Trial& trial, const nlohmann::json& settings);
    bool is_writing() const;

    const std::filesystem::path path_;
    CheckpointPace pace_;
    Time began_;
    std::future<Time> written_;  ///< gives when the write ended; valid from begin() to finish()
};

}  // namespace crescendo::trainer
