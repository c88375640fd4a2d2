#pragma once

#include <nlohmann/json.hpp>

namespace crescendo::launch {

using Json = nlohmann::json;
using OrderedJson = nlohmann::ordered_json;

}  // namespace crescendo::launch
