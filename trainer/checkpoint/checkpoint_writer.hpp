#pragma once

#include <chrono>
#include <filesystem>
#include <future>
#include <nlohmann/json_fwd.hpp>
#include <optional>

#include "trainer/checkpoint/checkpoint_pace.hpp"
#include "trainer/training/trial.hpp"

namespace crescendo::trainer {

/// Writes the checkpoints of one trial: before milestones, while its group waits, and in between, beside the training.
///
/// In between, training stands still only while the state is copied in memory: members of a group that wait for this
/// one in a collective do not wait for a disk.
class CheckpointWriter {
  public:
    /// `every` as in Settings, from now on.
    CheckpointWriter(std::filesystem::path path, std::optional<std::chrono::seconds> every);

    /// The trial, as it is, lies on the disk afterwards. Throws WriteError.
    void save(const Trial& trial, const nlohmann::json& settings);

    /// Begins to save the trial as it is, where that is due. Throws what kept an earlier one from the disk.
    void save_if_due(const Trial& trial, const nlohmann::json& settings);

    /// Waits for the one that was begun: afterwards the file is not touched. Throws what kept it from the disk. So does
    /// the destructor, which does not throw.
    void finish();

  private:
    using Time = CheckpointPace::Time;

    void begin(const Trial& trial, const nlohmann::json& settings);
    bool is_writing() const;

    const std::filesystem::path path_;
    CheckpointPace pace_;
    Time began_;
    std::future<Time> written_;  ///< when; valid from begin() to finish()
};

}  // namespace crescendo::trainer
