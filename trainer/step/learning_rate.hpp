#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>

#include "trainer/settings/settings.hpp"

namespace crescendo::trainer {

/// The factor on a trial's base learning rate. It follows the batch of the trial's group, which the trial has.
///
/// It is 1 at the trial's first batch. When the batch grows, the factor rises in a straight line over
/// `rescale_warmup` epochs from where it is; when the batch shrinks, it falls at once. In the trial's first `warmup`
/// epochs, all of this is multiplied by the share of them that has passed (P. Goyal et al., "Accurate, large minibatch
/// SGD: training ImageNet in 1 hour", 2017).
class LearningRateSchedule {
  public:
    /// What a member needs to continue the schedule elsewhere.
    struct State {
        std::int64_t first_batch = 0;  ///< samples of a step at first; 0 until the first follow()
        std::int64_t batch = 0;        ///< samples of a step since the last follow()
        double changed_at = 0.0;       ///< when the batch got its present value, in epochs
        double changed_from = 1.0;     ///< the factor at that time
    };

    /// Both times are in epochs, at least 0.
    LearningRateSchedule(LearningRateScaling scaling, double warmup, double rescale_warmup);

    /// Follows the group's batch, which is `batch` samples a step from `epoch` (whole epochs and the share of the
    /// present one) on. The same batch again changes nothing.
    void follow(std::int64_t batch, double epoch);

    double factor(double epoch) const;

    const State& state() const { return state_; }
    void restore(const State& state) { state_ = state; }

  private:
    double target() const;
    double scale(double epoch) const;

    LearningRateScaling scaling_;
    double warmup_;
    double rescale_warmup_;
    State state_;
};

/// The factor on the learning rate of a trial that has used `used` of its resource, and gets `length` at the most; 0 is
/// unknown. Beyond that it stays as it is. It depends on nothing else, so regroups and resumes do not move it.
double rate_factor(const RateSettings& settings, double used, double length);

void to_json(nlohmann::json& json, const LearningRateSchedule::State& state);
void from_json(const nlohmann::json& json, LearningRateSchedule::State& state);

}  // namespace crescendo::trainer
