#pragma once

#include <string>

#include "launch/messages/json.hpp"

namespace crescendo::launch {

/// JSON as the content of a `<script type="application/json">`: nothing in it can end the element or begin another.
std::string script_json(const OrderedJson& json);

}  // namespace crescendo::launch
