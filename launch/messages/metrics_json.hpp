#pragma once

#include <map>
#include <string>

#include "launch/messages/json.hpp"

namespace crescendo::launch {

/// Metrics as a JSON object; what is not finite is null.
Json to_json(const std::map<std::string, double>& metrics);

/// The numbers of a JSON object; what is null or no number is NaN.
std::map<std::string, double> metrics_from(const Json& metrics);

}  // namespace crescendo::launch
