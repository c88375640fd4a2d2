#pragma once

#include <vector>

#include "launch/record/limits_change.hpp"
#include "launch/record/recorded_sweep.hpp"

namespace crescendo::launch {

/// What is new as a recorded sweep is continued: limits, and failed trials that are tried again. Decided on a copy of
/// its state, so that what cannot be is refused before anything is written.
class Reopening {
  public:
    /// Takes up what was edited in the sweep's file. Throws InvalidInput that names the place where that makes no
    /// sense.
    explicit Reopening(const RecordedSweep& recorded);

    /// Throws InvalidInput where the sweep cannot have them.
    void set(const std::vector<Override>& settings);

    /// All that failed and can be. Throws InvalidInput where there is none. Returns how many cannot be.
    int retry_failed();

    /// The sweep after all that: over, where it leaves nothing to do.
    const Sweep& sweep() const { return sweep_; }

    /// With the limits that hold then.
    const SweepFile& file() const { return file_; }

    /// For the journal, in this order, once the last session's slots are lost.
    const std::vector<Json>& records() const { return records_; }

  private:
    void change(const LimitsChange& change);
    void apply(Json record);

    const RecordedSweep& recorded_;
    std::vector<LimitsChange> changes_;  ///< all that the sweep ever had
    SweepFile file_;
    Sweep sweep_;
    std::vector<Json> records_;
};

}  // namespace crescendo::launch
