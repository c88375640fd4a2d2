#pragma once

#include "core/trial_protocol.hpp"
#include "launch/json/json.hpp"

namespace crescendo::launch {

/// Metrics as a JSON object. Values that are not finite become null.
Json to_json(const protocol::Metrics& metrics);

/// The numbers of a JSON object. Null and other values that are not numbers become NaN.
protocol::Metrics metrics_from(const Json& json);

}  // namespace crescendo::launch
