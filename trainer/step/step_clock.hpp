#pragma once

#include <cstdint>
#include <optional>

namespace crescendo::trainer {

/// The mean seconds of a group's optimizer steps from one report to the next.
///
/// The group's first step does not count, because it also prepares the others. Nor does a short step at an epoch's end.
class StepClock {
  public:
    /// A step took `seconds`, with the wait for its data. `full` says whether it had as many samples as the group's
    /// batch.
    void add(double seconds, bool full);

    /// The device took `seconds` more for the steps so far.
    void wait(double seconds);

    /// The steps so far prepared others. They are forgotten as soon as another one counts.
    void end_warm_up() { is_warm_up_ = true; }

    /// The mean since the last take(); none if no step counted.
    std::optional<double> mean() const;

    /// The same, and begins a new mean.
    std::optional<double> take();

  private:
    bool first_ = true;        ///< whether the group's first step is still to come
    bool is_warm_up_ = false;  ///< whether the steps that were counted are to be forgotten
    double seconds_ = 0.0;
    std::int64_t steps_ = 0;
};

}  // namespace crescendo::trainer
