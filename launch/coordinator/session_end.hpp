#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "launch/directory/sweep_directory.hpp"
#include "launch/process/stop_signals.hpp"

namespace crescendo::launch {

/// When a session has to end before its sweep: on a signal, at `crescendo stop`, and when its job's time is up.
class SessionEnd {
  public:
    using Seconds = double;  ///< since the epoch

    /// The first two must outlive the object. A session without `deadline` has all the time it wants.
    SessionEnd(const SweepDirectory& directory, const StopSignals& signals, std::optional<Seconds> deadline)
        : directory_(directory), signals_(signals), deadline_(deadline) {}

    /// Why the session ends now, as its user reads it; nothing while it continues.
    std::optional<std::string> reason();

    /// Whether the deadline comes in less than so many seconds.
    bool comes_within(double seconds) const;

  private:
    const SweepDirectory& directory_;
    const StopSignals& signals_;
    std::optional<Seconds> deadline_;
    std::chrono::steady_clock::time_point next_look_;  ///< when to look for a request to stop
};

/// What the user reads when the job's time is over, or nothing could use what is left of it.
inline constexpr const char* time_is_up = "the job's time is nearly up: saving what runs";

}  // namespace crescendo::launch
