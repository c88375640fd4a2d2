#pragma once

#include <chrono>
#include <utility>

namespace crescendo::trainer {

/// Adds up the time that calls take.
class Stopwatch {
  public:
    template <class Function>
    auto time(Function&& function) {
        const auto began = Clock::now();
        auto result = std::forward<Function>(function)();
        total_ += Clock::now() - began;
        return result;
    }

    double seconds() const { return std::chrono::duration<double>(total_).count(); }

  private:
    using Clock = std::chrono::steady_clock;
    Clock::duration total_{};
};

}  // namespace crescendo::trainer
