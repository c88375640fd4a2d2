#pragma once

#include <string>

#include "launch/json/json.hpp"

namespace crescendo::launch {

/// The list of Python's literals that a text is, "1_000, ('a', None)" say, as JSON. A tuple is a list. Discarded if
/// anything else is in it.
OrderedJson python_literals(const std::string& text);

}  // namespace crescendo::launch
