#pragma once

#include <string>
#include <string_view>

namespace crescendo::launch {

/// JSON with null in place of NaN, Infinity and -Infinity, which Python writes and JSON does not know, and of nan and
/// inf, which C's printf writes. Inside strings they stay.
std::string without_bare_words(std::string_view json);

}  // namespace crescendo::launch
