#pragma once

#include <csignal>
#include <string>
#include <string_view>

namespace crescendo::launch {

/// The user's name for SIGINT.
inline constexpr std::string_view ctrl_c = "Ctrl-C";

/// Turns SIGINT, SIGTERM, SIGHUP (the terminal was closed; ignored under nohup) and SIGUSR2 (a batch system's warning)
/// into a request to stop: the coordinator saves running trials and leaves. A second SIGINT ends the process at once,
/// unless it comes within half a second of the first, because launchers and `timeout` send two.
///
/// The signals stay blocked except in the agent's wait and in requested(), so none is lost between a check and the
/// wait. SIGPIPE and SIGXFSZ are ignored, because write errors are reported where they happen.
class StopSignals {
  public:
    /// `farewell` is the line that the process prints if a second SIGINT ends it while this object exists.
    explicit StopSignals(const std::string& farewell = "");
    ~StopSignals();
    StopSignals(StopSignals&&) = delete;
    StopSignals& operator=(StopSignals&&) = delete;

    /// The name of the signal that has arrived, or null.
    const char* requested() const;

  private:
    sigset_t before_;
};

}  // namespace crescendo::launch
