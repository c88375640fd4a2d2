#pragma once

#include <string>
#include <vector>

#include "core/value.hpp"
#include "launch/json/json.hpp"

namespace crescendo::launch {

/// `config` as programs get it. The scheduler has `optimizer.lr`, and a program has `optimizer`, a map that holds `lr`,
/// if `groups` has "optimizer". Names with dots outside of groups stay as they are. Groups are in the order of the
/// file, an outer one before those in it.
Config nested(const Config& config, const std::vector<std::string>& groups);

/// Whether `parameters`, as nested() makes them or flat, are the values of `config` and nothing else.
bool has_values(const Json& parameters, const Config& config);

}  // namespace crescendo::launch
