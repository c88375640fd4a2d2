#pragma once

#include "core/trial_protocol.hpp"
#include "core/value.hpp"
#include "launch/json/json.hpp"

namespace crescendo::launch {

Json to_json(const Value& value);

/// An object with the parameters in the configuration's order.
OrderedJson to_json(const Config& config);

/// Throws InvalidInput if a whole number does not fit into 64 bits.
Value value_from_json(const Json& json);

/// Metrics as a JSON object. Values that are not finite become null.
Json to_json(const protocol::Metrics& metrics);

/// The numbers of a JSON object. Null and other values that are not numbers become NaN.
protocol::Metrics metrics_from(const Json& json);

}  // namespace crescendo::launch
