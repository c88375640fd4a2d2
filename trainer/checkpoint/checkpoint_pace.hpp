#pragma once

#include <chrono>
#include <optional>

namespace crescendo::trainer {

/// Decides when a checkpoint between milestones is due.
class CheckpointPace {
  public:
    using Time = std::chrono::steady_clock::time_point;
    using Seconds = std::chrono::duration<double>;

    /// The first checkpoint is due `every` after `now`; with zero, none is ever due. Without a value, checkpoints are
    /// ten minutes apart, or further, so that writing takes less than 1 % of the time.
    CheckpointPace(std::optional<std::chrono::seconds> every, Time now) : every_(every), last_(now) {}

    bool is_due(Time now) const;

    /// Records that the state as of `began` was on the disk at `ended`.
    void note_written(Time began, Time ended);

  private:
    Seconds interval() const;

    std::optional<std::chrono::seconds> every_;
    Time last_;
    Seconds writing_{};  ///< how long the last checkpoint took
};

}  // namespace crescendo::trainer
