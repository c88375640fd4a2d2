#pragma once

#include <chrono>
#include <optional>

namespace crescendo::trainer {

/// Decides when a checkpoint is due that no milestone asks for.
class CheckpointPace {
  public:
    using Time = std::chrono::steady_clock::time_point;
    using Seconds = std::chrono::duration<double>;

    /// The first is due `every` after `now`. None is ever due if `every` is zero. Without `every`, there are ten
    /// minutes from one to the next, or more, so that writing stays under 1 % of the time.
    CheckpointPace(std::optional<std::chrono::seconds> every, Time now) : every_(every), last_(now) {}

    bool is_due(Time now) const;

    /// The state at `began` is on the disk since `ended`.
    void note_written(Time began, Time ended);

  private:
    Seconds interval() const;

    std::optional<std::chrono::seconds> every_;
    Time last_;
    Seconds writing_{};  ///< time that the last checkpoint took
};

}  // namespace crescendo::trainer
