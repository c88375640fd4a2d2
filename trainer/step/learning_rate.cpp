#include "trainer/step/learning_rate.hpp"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <numbers>

#include "core/check.hpp"

namespace crescendo::trainer {

LearningRateSchedule::LearningRateSchedule(LearningRateScaling scaling, double warmup, double rescale_warmup)
    : scaling_(scaling), warmup_(warmup), rescale_warmup_(rescale_warmup) {}

void LearningRateSchedule::follow(std::int64_t batch, double epoch) {
    CRESCENDO_EXPECT(batch > 0);
    if (batch == state_.batch) {
        return;
    }
    if (state_.first_batch == 0) {
        state_ = {.first_batch = batch, .batch = batch, .changed_at = epoch, .changed_from = 1.0};
        return;
    }
    state_.changed_from = scale(epoch);
    state_.changed_at = epoch;
    state_.batch = batch;
}

double LearningRateSchedule::target() const {
    const double growth = static_cast<double>(state_.batch) / static_cast<double>(state_.first_batch);
    switch (scaling_) {
        case LearningRateScaling::linear:
            return growth;
        case LearningRateScaling::sqrt:
            return std::sqrt(growth);
        case LearningRateScaling::none:
            return 1.0;
    }
    return 1.0;
}

double LearningRateSchedule::factor(double epoch) const {
    return epoch < warmup_ ? scale(epoch) * epoch / warmup_ : scale(epoch);
}

/// The factor without the initial warm-up: how far the rate has followed the batch.
double LearningRateSchedule::scale(double epoch) const {
    CRESCENDO_EXPECT(state_.first_batch > 0);
    const double end = target();
    const double start = state_.changed_from;
    if (end <= start || epoch >= state_.changed_at + rescale_warmup_) {
        return end;
    }
    return start + (end - start) * std::max(0.0, (epoch - state_.changed_at) / rescale_warmup_);
}

double rate_factor(const RateSettings& settings, double used, double length) {
    if (settings.length > 0) {
        length = static_cast<double>(settings.length);
    }
    if (length <= 0) {
        return 1.0;
    }
    const double share = std::clamp(used / length, 0.0, 1.0);
    // From `from` to `to`, while `part` goes from 0 to 1.
    const auto cosine = [](double from, double to, double part) {
        return to + (from - to) * (1.0 + std::cos(std::numbers::pi * part)) / 2.0;
    };
    switch (settings.shape) {
        case RateShape::constant:
            return 1.0;
        case RateShape::step: {
            const double step = settings.step > 0 ? static_cast<double>(settings.step) : length / 3.0;
            return std::pow(settings.decay, std::floor(std::min(used, length) / step));
        }
        case RateShape::cosine:
            return cosine(1.0, settings.last, share);
        case RateShape::one_cycle:
            return share < settings.rise ? cosine(1.0 / 25.0, 1.0, share / settings.rise)
                                         : cosine(1.0, settings.last, (share - settings.rise) / (1.0 - settings.rise));
        case RateShape::linear:
            return 1.0 + (settings.last - 1.0) * share;
        case RateShape::polynomial:
            return settings.last + (1.0 - settings.last) * std::pow(1.0 - share, settings.power);
    }
    return 1.0;
}

void to_json(nlohmann::json& json, const LearningRateSchedule::State& state) {
    json = {{"first_batch", state.first_batch},
            {"batch", state.batch},
            {"changed_at", state.changed_at},
            {"changed_from", state.changed_from}};
}

void from_json(const nlohmann::json& json, LearningRateSchedule::State& state) {
    json.at("first_batch").get_to(state.first_batch);
    json.at("batch").get_to(state.batch);
    json.at("changed_at").get_to(state.changed_at);
    json.at("changed_from").get_to(state.changed_from);
}

}  // namespace crescendo::trainer
