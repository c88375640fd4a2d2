#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>

namespace crescendo::trainer {

/// The factor on the loss when gradients are computed in fp16, which keeps small gradients from becoming zero
/// (Micikevicius et al., "Mixed Precision Training", ICLR 2018).
///
/// It halves when gradients overflow, and doubles after 2,000 steps without overflow. It is a power of two, so scaling
/// does not round. It depends on the group's gradients, so all members have the same scale. Steps whose loss itself is
/// not finite do not count, because no smaller scale would make their gradients finite.
class LossScale {
  public:
    double value() const { return value_; }

    /// Records a step. `finite` says whether the group's gradients were finite.
    void update(bool finite);

    friend bool operator==(const LossScale&, const LossScale&) = default;

  private:
    friend void to_json(nlohmann::json& json, const LossScale& scale);
    friend void from_json(const nlohmann::json& json, LossScale& scale);

    double value_ = 65536.0;
    std::int64_t finite_steps_ = 0;  ///< steps with finite gradients since the scale changed
};

void to_json(nlohmann::json& json, const LossScale& scale);
void from_json(const nlohmann::json& json, LossScale& scale);

}  // namespace crescendo::trainer
