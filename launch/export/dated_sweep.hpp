#pragma once

#include <optional>
#include <vector>

#include "launch/journal/history.hpp"

namespace crescendo::launch {

/// Converts a sweep's times to dates. Its history counts only the seconds during which the sweep was at work.
class DatedSweep {
  public:
    /// `history` must outlive this object.
    explicit DatedSweep(const History& history) : history_(history) {}

    const History& history() const { return history_; }

    /// The date when the sweep had been at work for `elapsed` seconds, in seconds since the epoch; 0 if it has not
    /// begun. A moment between two sessions has the date of the end of the first, because the sweep was not at work
    /// after that.
    double date(double elapsed) const;

    /// When a trial started, in seconds since the epoch; none if it has not.
    std::optional<double> started(TrialId trial) const;

    /// When a trial ended, in seconds since the epoch; none if it has not.
    std::optional<double> ended(TrialId trial) const;

  private:
    double date_in(std::vector<Session>::const_iterator next, double elapsed) const;

    const History& history_;
};

}  // namespace crescendo::launch
