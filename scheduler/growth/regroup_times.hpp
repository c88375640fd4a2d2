#pragma once

#include <map>
#include <optional>
#include <utility>

#include "scheduler/growth/recent.hpp"

namespace crescendo {

/// How long groups stand still when their workers change, over all trials of a sweep. Uses medians of recent times, so
/// a straggler changes little.
class RegroupTimes {
  public:
    /// A group went from `from` to `to` workers and stood still for `seconds`, >= 0.
    void note(int from, int to, double seconds) { times_[{to, from}].add(seconds); }

    /// Seconds that a change from `from` to `to` workers will take. If it was never measured: the time for the next
    /// wider group or, if there is none, the widest. Nothing before the first measurement.
    std::optional<double> seconds(int from, int to) const;

  private:
    static constexpr std::size_t memory = 9;

    std::map<std::pair<int, int>, Recent<memory>> times_;  // by workers after and before
};

}  // namespace crescendo
