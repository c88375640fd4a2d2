#pragma once

#include "core/value.hpp"
#include "launch/messages/json.hpp"

namespace crescendo::launch {

Json to_json(const Value& value);

/// An object with the parameters in their order.
OrderedJson to_json(const Config& config);

/// Throws InvalidInput unless `json` is a boolean, a number of 64 bits or a string.
Value value_from_json(const Json& json);

}  // namespace crescendo::launch
