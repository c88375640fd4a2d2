#include "trainer/step/loss_scale.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace crescendo::trainer {

void LossScale::update(bool finite) {
    constexpr std::int64_t steps_to_grow = 2000;
    constexpr double least = 0x1p-32;  // gradients that never become finite must not reduce it to zero
    if (!finite) {
        value_ = std::max(value_ / 2, least);
        finite_steps_ = 0;
    } else if (++finite_steps_ == steps_to_grow) {
        value_ *= 2;
        finite_steps_ = 0;
    }
}

void to_json(nlohmann::json& json, const LossScale& scale) {
    json = {{"value", scale.value_}, {"finite_steps", scale.finite_steps_}};
}

void from_json(const nlohmann::json& json, LossScale& scale) {
    json.at("value").get_to(scale.value_);
    json.at("finite_steps").get_to(scale.finite_steps_);
}

}  // namespace crescendo::trainer
