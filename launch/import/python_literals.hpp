#pragma once

#include <string>

#include "launch/json/json.hpp"

namespace crescendo::launch {

/// Parses a comma-separated list of Python literals, such as "1_000, ('a', None)", into JSON. A tuple becomes a list.
/// The result is a discarded value if the text has anything else.
OrderedJson python_literals(const std::string& text);

}  // namespace crescendo::launch
