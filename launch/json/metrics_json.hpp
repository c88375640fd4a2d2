#pragma once

#include "core/trial_protocol.hpp"
#include "launch/json/json.hpp"

namespace crescendo::launch {

/// Metrics as a JSON object; what is not finite is null.
Json to_json(const protocol::Metrics& metrics);

/// The numbers of a JSON object; what is null or no number is NaN.
protocol::Metrics metrics_from(const Json& json);

}  // namespace crescendo::launch
