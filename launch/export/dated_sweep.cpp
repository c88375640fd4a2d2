#include "launch/export/dated_sweep.hpp"

#include <algorithm>
#include <iterator>

namespace crescendo::launch {

double DatedSweep::date(double elapsed) const {
    return date_in(std::ranges::lower_bound(history_.sessions(), elapsed, {}, &Session::elapsed), elapsed);
}

/// The date of `elapsed` in the session before `next`.
double DatedSweep::date_in(std::vector<Session>::const_iterator next, double elapsed) const {
    const auto& sessions = history_.sessions();
    if (sessions.empty()) {
        return 0;
    }
    const auto& session = next == sessions.begin() ? *next : *std::prev(next);
    return session.date + (elapsed - session.elapsed);
}

std::optional<double> DatedSweep::started(TrialId trial) const {
    const auto& started = history_.of(trial).started;
    if (!started) {
        return std::nullopt;
    }
    // A trial that starts between two sessions starts with the second.
    return date_in(std::ranges::upper_bound(history_.sessions(), *started, {}, &Session::elapsed), *started);
}

std::optional<double> DatedSweep::ended(TrialId trial) const {
    const auto& ended = history_.of(trial).ended;
    return ended ? std::optional(date(*ended)) : std::nullopt;
}

}  // namespace crescendo::launch
