#pragma once

#include <string>
#include <vector>

#include "core/value.hpp"
#include "launch/json/json.hpp"

namespace crescendo::launch {

/// Converts `config` to the form that programs get. If `groups` has "optimizer", the scheduler's parameter
/// `optimizer.lr` becomes `lr` in a map `optimizer`. Other names with dots stay as they are. Groups must be in the
/// order of the file, outer before inner.
Config nested(const Config& config, const std::vector<std::string>& groups);

/// Whether `parameters`, nested or flat, has exactly the values of `config` and nothing else.
bool has_values(const Json& parameters, const Config& config);

}  // namespace crescendo::launch
