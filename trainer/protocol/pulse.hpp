#pragma once

#include <chrono>

#include "trainer/protocol/control_channel.hpp"

namespace crescendo::trainer {

/// Tells crescendo that the main thread is alive. If there is no beat for too long, the trainer counts as hung.
class Pulse {
  public:
    explicit Pulse(ControlChannel& channel) : channel_(channel) {}

    /// At most one message is sent per period.
    static constexpr std::chrono::seconds period{1};

    /// Call it regularly from every long operation of the main thread.
    void beat();

  private:
    ControlChannel& channel_;
    std::chrono::steady_clock::time_point last_;
};

}  // namespace crescendo::trainer
