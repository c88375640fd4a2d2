#pragma once

#include <csignal>
#include <string>
#include <string_view>

namespace crescendo::launch {

/// The name of SIGINT, as users know it.
inline constexpr std::string_view ctrl_c = "Ctrl-C";

/// Turns SIGINT, SIGTERM, SIGHUP (the terminal is gone; not under nohup) and SIGUSR2 (a batch system's warning) into a
/// request to stop: the coordinator saves what runs and leaves. A second SIGINT ends the process at once, but for one
/// within half a second, since launchers and `timeout` send two.
///
/// The signals stay blocked except in the agent's wait and in requested(), so none is lost between a check and the
/// wait.
/// SIGPIPE and SIGXFSZ are ignored: writing reports such trouble where it happens.
class StopSignals {
  public:
    /// `farewell` is the line that a process prints which a second SIGINT ends, as long as this object is there.
    explicit StopSignals(const std::string& farewell = "");
    ~StopSignals();
    StopSignals(StopSignals&&) = delete;
    StopSignals& operator=(StopSignals&&) = delete;

    /// The name of the signal that arrived, or null.
    const char* requested() const;

  private:
    sigset_t before_;
};

}  // namespace crescendo::launch
