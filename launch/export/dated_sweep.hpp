#pragma once

#include <optional>
#include <vector>

#include "launch/journal/history.hpp"

namespace crescendo::launch {

/// A sweep with dates. Its history counts only the seconds that the sweep was at work.
class DatedSweep {
  public:
    /// The history outlives it.
    explicit DatedSweep(const History& history) : history_(history) {}

    const History& history() const { return history_; }

    /// When the sweep had been at work for `elapsed` seconds, in seconds since the epoch; 0 if it has not begun.
    /// Between two sessions it was not at work, so that is the end of the first.
    double date(double elapsed) const;

    /// When a trial started; none if it has not.
    std::optional<double> started(TrialId trial) const;

    /// When a trial ended; none if it has not.
    std::optional<double> ended(TrialId trial) const;

  private:
    double date_in(std::vector<Session>::const_iterator next, double elapsed) const;

    const History& history_;
};

}  // namespace crescendo::launch
