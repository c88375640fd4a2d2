#pragma once

#include <chrono>
#include <functional>
#include <thread>

namespace crescendo::trainer {

/// How long a member of a group waits for the others.
struct Patience {
    std::chrono::steady_clock::duration timeout = std::chrono::steady_clock::duration::max();
    /// Called now and then during a wait; returns whether waiting has become pointless. Null: never.
    std::function<bool()> give_up = {};

    bool gives_up() const { return give_up && give_up(); }
};

/// Pauses for a loop that polls another thread or a device. A short wait only yields, to end quickly; a long one
/// sleeps, to leave the core to others.
class Pauses {
  public:
    std::chrono::steady_clock::duration elapsed() const { return std::chrono::steady_clock::now() - began_; }

    void pause() const {
        if (elapsed() < std::chrono::microseconds(200)) {
            std::this_thread::yield();
        } else {
            std::this_thread::sleep_for(std::chrono::microseconds(50));
        }
    }

  private:
    std::chrono::steady_clock::time_point began_ = std::chrono::steady_clock::now();
};

}  // namespace crescendo::trainer
