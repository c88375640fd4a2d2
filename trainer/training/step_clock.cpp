#include "trainer/training/step_clock.hpp"

namespace crescendo::trainer {

void StepClock::add(double seconds, bool full) {
    if (full && !first_) {
        seconds_ += seconds;
        ++steps_;
    }
    first_ = false;
}

std::optional<double> StepClock::take() {
    std::optional<double> mean;
    if (steps_ > 0) {
        mean = seconds_ / static_cast<double>(steps_);
    }
    seconds_ = 0.0;
    steps_ = 0;
    return mean;
}

}  // namespace crescendo::trainer
