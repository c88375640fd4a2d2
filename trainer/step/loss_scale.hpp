#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>

namespace crescendo::trainer {

/// The factor of the loss where gradients are computed in fp16, so that small ones do not become zero (Micikevicius et
/// al., "Mixed Precision Training", ICLR 2018).
///
/// It halves when gradients overflow, and doubles after 2,000 steps in which none did. A power of two, so it rounds
/// nothing. It follows from the group's gradients, so all members have the same. Steps whose loss is not finite by
/// itself say nothing about it: no smaller scale makes their gradients finite.
class LossScale {
  public:
    double value() const { return value_; }

    /// Takes note of a step. `finite`: whether the group's gradients were finite.
    void update(bool finite);

    friend bool operator==(const LossScale&, const LossScale&) = default;

  private:
    friend void to_json(nlohmann::json& json, const LossScale& scale);
    friend void from_json(const nlohmann::json& json, LossScale& scale);

    double value_ = 65536.0;
    std::int64_t finite_steps_ = 0;  ///< since the scale changed
};

void to_json(nlohmann::json& json, const LossScale& scale);
void from_json(const nlohmann::json& json, LossScale& scale);

}  // namespace crescendo::trainer
