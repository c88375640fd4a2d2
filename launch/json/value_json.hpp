#pragma once

#include "core/value.hpp"
#include "launch/json/json.hpp"

namespace crescendo::launch {

Json to_json(const Value& value);

/// An object with the parameters in their order.
OrderedJson to_json(const Config& config);

/// Throws InvalidInput on a whole number that 64 bits do not hold.
Value value_from_json(const Json& json);

}  // namespace crescendo::launch
