#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <utility>

#include "launch/directory/sweep_directory.hpp"
#include "launch/process/stop_signals.hpp"

namespace crescendo::launch {

/// When a session has to end before its sweep: on a signal, at `crescendo stop`, and when its job's time is up.
class SessionEnd {
  public:
    using Seconds = double;  ///< since the epoch

    /// When the session has to end, and what tells that anew: a job may be given more time while it runs. What asks a
    /// batch system may take a while, and is called only where the time seems to be up. It may not know.
    struct Deadline {
        Seconds at;
        std::function<std::optional<Seconds>()> ask = {};
    };

    /// The first two must outlive the object. A session without `deadline` has all the time it wants.
    SessionEnd(const SweepDirectory& directory, const StopSignals& signals, std::optional<Deadline> deadline)
        : directory_(directory), signals_(signals), deadline_(std::move(deadline)) {}

    /// Why the session ends now, as its user reads it; nothing while it continues.
    std::optional<std::string> reason();

    /// Whether the deadline comes in less than so many seconds.
    bool comes_within(double seconds);

  private:
    const SweepDirectory& directory_;
    const StopSignals& signals_;
    std::optional<Deadline> deadline_;
    std::chrono::steady_clock::time_point next_look_;  ///< when to look for a request to stop
};

/// What the user reads when the job's time is over, or nothing could use what is left of it.
inline constexpr const char* time_is_up = "the job's time is nearly up: saving what runs";

}  // namespace crescendo::launch
