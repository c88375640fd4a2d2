#pragma once

#include <vector>

#include "launch/directory/recorded_sweep.hpp"
#include "launch/journal/limits_change.hpp"

namespace crescendo::launch {

/// What is new when a recorded sweep is continued: limits, and failed trials that are retried. It is applied to a copy
/// of the sweep's state, so that impossible changes are refused before anything is written.
class Reopening {
  public:
    /// Applies what was edited in the sweep's file. Throws InvalidInput that names the place if that makes no sense.
    explicit Reopening(const RecordedSweep& recorded);

    /// Applies new values of keys. Throws InvalidInput if the sweep cannot have them.
    void set(const std::vector<Override>& settings);

    /// Retries all failed trials that can be retried. Returns how many cannot. Throws InvalidInput if none can.
    int retry_failed();

    /// The sweep after all changes. It is over if there is nothing left to do.
    const Sweep& sweep() const { return sweep_; }

    /// The sweep's file with the limits after all changes.
    const SweepFile& file() const { return file_; }

    /// Records for the journal, in this order. They follow the loss of the last session's slots.
    const std::vector<Json>& records() const { return records_; }

  private:
    void change(const LimitsChange& change);
    void apply(Json record);

    const RecordedSweep& recorded_;
    std::vector<LimitsChange> changes_;  ///< all changes that the sweep ever had
    SweepFile file_;
    Sweep sweep_;
    std::vector<Json> records_;
};

}  // namespace crescendo::launch
