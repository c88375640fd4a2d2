#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <utility>

#include "launch/directory/sweep_directory.hpp"
#include "launch/process/stop_signals.hpp"

namespace crescendo::launch {

/// Decides when a session must end before its sweep: on a signal, on `crescendo stop`, and when its job's time is up.
class SessionEnd {
  public:
    using Seconds = double;  ///< since the epoch

    /// When the session must end. `ask` returns the present deadline, because a running job may be given more time.
    /// Asking a batch system may take a while, so `ask` is called only when the time seems to be up. It returns nothing
    /// if the deadline is unknown.
    struct Deadline {
        Seconds at;
        std::function<std::optional<Seconds>()> ask = {};
    };

    /// `directory` and `signals` must outlive this object. Without `deadline`, a session has unlimited time.
    SessionEnd(const SweepDirectory& directory, const StopSignals& signals, std::optional<Deadline> deadline)
        : directory_(directory), signals_(signals), deadline_(std::move(deadline)) {}

    /// Why the session must end now, as a message for the user; nothing while it may continue.
    std::optional<std::string> reason();

    /// Whether the deadline is less than `seconds` away.
    bool comes_within(double seconds);

  private:
    const SweepDirectory& directory_;
    const StopSignals& signals_;
    std::optional<Deadline> deadline_;
    std::chrono::steady_clock::time_point next_look_;  ///< when to look for a request to stop
};

/// Message for the user when the job's time is over, or when nothing could use the rest of it.
inline constexpr const char* time_is_up = "the job's time is nearly up: saving the running trials";

}  // namespace crescendo::launch
