#pragma once

#include <chrono>

#include "trainer/protocol/control_channel.hpp"

namespace crescendo::trainer {

/// Tells crescendo that the main thread is alive: without a beat for long enough, the trainer is taken to hang.
class Pulse {
  public:
    explicit Pulse(ControlChannel& channel) : channel_(channel) {}

    /// At most one is sent in that time.
    static constexpr std::chrono::seconds period{1};

    /// To be called at every step of whatever the main thread does.
    void beat();

  private:
    ControlChannel& channel_;
    std::chrono::steady_clock::time_point last_;
};

}  // namespace crescendo::trainer
