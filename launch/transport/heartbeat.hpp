#pragma once

#include <algorithm>
#include <chrono>

#include "launch/system/environment.hpp"

namespace crescendo::launch {

/// Sleep time between two checks for messages: short while messages arrive, longer when they do not. A message waits at
/// most two milliseconds, and an idle rank uses less than two percent of a core.
class Pace {
  public:
    static constexpr std::chrono::microseconds shortest{250};
    static constexpr std::chrono::microseconds longest{2000};

    std::chrono::microseconds next() const { return pause_; }
    void busy() { pause_ = shortest; }
    void idle() { pause_ = std::min(2 * pause_, longest); }

  private:
    std::chrono::microseconds pause_ = shortest;
};

/// Decides when a heartbeat to a rank is due, and when one from it is overdue.
class SilenceTimer {
  public:
    using Time = std::chrono::steady_clock::time_point;

    /// The value of CRESCENDO_HEARTBEAT_TIMEOUT in seconds; 30 if it is not set.
    static std::chrono::seconds timeout_of_environment() {
        return seconds_of_environment("CRESCENDO_HEARTBEAT_TIMEOUT", std::chrono::seconds(30));
    }

    /// A process that has not checked for this long stood still itself, as in a suspended job: messages then wait for
    /// it.
    static constexpr std::chrono::seconds longest_look_away{5};

    explicit SilenceTimer(Time now, std::chrono::seconds timeout = timeout_of_environment())
        : heard_(now), sent_(now), looked_(now), timeout_(timeout) {}

    std::chrono::seconds timeout() const { return timeout_; }

    void heard(Time now) { heard_ = now; }
    void sent(Time now) { sent_ = now; }
    bool must_send(Time now) const { return now - sent_ >= std::chrono::seconds(1); }

    /// Whether the other rank counts as dead. Time during which this process stood still does not count as silence: the
    /// other may have stood still as well.
    bool stopped(Time now) {
        if (now - looked_ >= longest_look_away) {
            heard_ = std::min(heard_ + (now - looked_), now);
        }
        looked_ = now;
        return now - heard_ >= timeout_;
    }

  private:
    Time heard_;
    Time sent_;
    Time looked_;
    std::chrono::seconds timeout_;
};

}  // namespace crescendo::launch
