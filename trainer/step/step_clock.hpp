#pragma once

#include <cstdint>
#include <optional>

namespace crescendo::trainer {

/// Measures the mean time of a group's optimizer steps between reports, in seconds.
///
/// The group's first step does not count, because it includes one-time preparations. A short step at the end of an
/// epoch does not count either.
class StepClock {
  public:
    /// Adds a step that took `seconds`, including the wait for its data. `full` says whether it had as many samples as
    /// the group's batch.
    void add(double seconds, bool full);

    /// Adds `seconds` that the device needed to finish the steps so far.
    void wait(double seconds);

    /// Marks the steps so far as preparation. They are dropped as soon as another step counts.
    void end_warm_up() { is_warm_up_ = true; }

    /// The mean since the last take(); nullopt if no step counted.
    std::optional<double> mean() const;

    /// Returns mean() and starts a new mean.
    std::optional<double> take();

  private:
    bool first_ = true;        ///< whether the group's first step is still to come
    bool is_warm_up_ = false;  ///< whether to drop the counted steps at the next one
    double seconds_ = 0.0;
    std::int64_t steps_ = 0;
};

}  // namespace crescendo::trainer
