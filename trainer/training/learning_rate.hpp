#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>

#include "trainer/settings/settings.hpp"

namespace crescendo::trainer {

/// The factor on a trial's base learning rate. It follows the batch of the trial's group, which the trial has.
///
/// It is 1 at the trial's first batch. When the batch grows, the factor rises in a straight line over
/// `warmup_epochs` from where it is; when the batch shrinks, it falls at once.
class LearningRateSchedule {
  public:
    /// What a member needs to continue the schedule elsewhere.
    struct State {
        std::int64_t first_batch = 0;  ///< samples of a step at first; 0 until the first follow()
        std::int64_t batch = 0;        ///< samples of a step since the last follow()
        double changed_at = 0.0;       ///< when the batch got its present value, in epochs
        double changed_from = 1.0;     ///< the factor at that time
    };

    LearningRateSchedule(LearningRateScaling scaling, double warmup_epochs);

    /// Follows the group's batch, which is `batch` samples a step from `epoch` (whole epochs and the share of the
    /// present one) on. The same batch again changes nothing.
    void follow(std::int64_t batch, double epoch);

    double factor(double epoch) const;

    const State& state() const { return state_; }
    void restore(const State& state) { state_ = state; }

  private:
    double target() const;

    LearningRateScaling scaling_;
    double warmup_epochs_;
    State state_;
};

void to_json(nlohmann::json& json, const LearningRateSchedule::State& state);
void from_json(const nlohmann::json& json, LearningRateSchedule::State& state);

}  // namespace crescendo::trainer
