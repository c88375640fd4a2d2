#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>

#include "trainer/settings/settings.hpp"

namespace crescendo::trainer {

/// The factor on a trial's base learning rate, as a function of the group's batch size.
///
/// It is 1 at the trial's first batch size. When the batch grows, the factor rises linearly from its present value over
/// `rescale_warmup` epochs; when the batch shrinks, it falls at once. In the trial's first `warmup` epochs, the factor
/// is also multiplied by the share of them that has passed (P. Goyal et al., "Accurate, large minibatch SGD: training
/// ImageNet in 1 hour", 2017).
class LearningRateSchedule {
  public:
    /// State that another member needs to continue the schedule.
    struct State {
        std::int64_t first_batch = 0;  ///< samples per step at the start; 0 until the first follow()
        std::int64_t batch = 0;        ///< samples per step since the last follow()
        double changed_at = 0.0;       ///< when the batch last changed, in epochs
        double changed_from = 1.0;     ///< the factor at that time
    };

    /// `warmup` and `rescale_warmup` are in epochs, and must be at least 0.
    LearningRateSchedule(LearningRateScaling scaling, double warmup, double rescale_warmup);

    /// Sets the group's batch to `batch` samples per step from `epoch` on (whole epochs plus the share of the present
    /// one). Does nothing if the batch has not changed.
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

/// The schedule's factor on the learning rate of a trial that has used the resource `used` and gets at most `length`
/// (0: unknown). Beyond `length` the factor stays constant. It depends on nothing else, so regroups and resumes do not
/// change it.
double rate_factor(const RateSettings& settings, double used, double length);

void to_json(nlohmann::json& json, const LearningRateSchedule::State& state);
void from_json(const nlohmann::json& json, LearningRateSchedule::State& state);

}  // namespace crescendo::trainer
