#include "trainer/step/step_clock.hpp"

#include <utility>

namespace crescendo::trainer {

void StepClock::add(double seconds, bool full) {
    if (full && !first_) {
        if (std::exchange(is_warm_up_, false)) {
            take();
        }
        seconds_ += seconds;
        ++steps_;
    }
    first_ = false;
}

void StepClock::wait(double seconds) {
    if (steps_ > 0) {
        seconds_ += seconds;
    }
}

std::optional<double> StepClock::mean() const {
    return steps_ > 0 ? std::optional(seconds_ / static_cast<double>(steps_)) : std::nullopt;
}

std::optional<double> StepClock::take() {
    const auto result = mean();
    seconds_ = 0.0;
    steps_ = 0;
    return result;
}

}  // namespace crescendo::trainer
