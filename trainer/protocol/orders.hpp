#pragma once

#include <nlohmann/json_fwd.hpp>
#include <variant>

#include "core/trial_protocol.hpp"

namespace crescendo::trainer {

using protocol::Decision;
using protocol::Evaluate;
using protocol::Join;
using protocol::Leave;
using protocol::MeasureLatency;
using protocol::Profile;
using protocol::StateSource;

/// What crescendo asks a trainer to do.
using Order = std::variant<Join, Decision, Leave, Evaluate, MeasureLatency, Profile>;

/// Reads an order. Throws std::runtime_error with the reason if the message is not an order.
Order parse_order(const nlohmann::json& message);

}  // namespace crescendo::trainer
