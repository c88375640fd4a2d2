#pragma once

#include <vector>

#include "launch/directory/recorded_sweep.hpp"
#include "launch/journal/limits_change.hpp"

namespace crescendo::launch {

/// Changes with which a recorded sweep is continued: new limits, and retries of failed trials. They are applied to a
/// copy of the sweep's state, so that impossible changes are refused before anything is written.
class Reopening {
  public:
    /// Applies edits of the sweep's file. Throws InvalidInput that names the place if they are invalid.
    explicit Reopening(const RecordedSweep& recorded);

    /// Applies new values of keys. Throws InvalidInput if they are invalid for this sweep.
    void set(const std::vector<Override>& settings);

    /// Retries all failed trials that can be retried. Returns how many cannot. Throws InvalidInput if none can.
    int retry_failed();

    /// The sweep after all changes. It is over if nothing is left to do.
    const Sweep& sweep() const { return sweep_; }

    /// The sweep's file with the limits after all changes.
    const SweepFile& file() const { return file_; }

    /// Records for the journal, in this order, after the record that the last session's slots were lost.
    const std::vector<Json>& records() const { return records_; }

  private:
    void change(const LimitsChange& change);
    void apply(Json record);

    const RecordedSweep& recorded_;
    std::vector<LimitsChange> changes_;  ///< all changes in the sweep's whole life
    SweepFile file_;
    Sweep sweep_;
    std::vector<Json> records_;
};

}  // namespace crescendo::launch
