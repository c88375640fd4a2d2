#pragma once

#include <string>
#include <string_view>

namespace crescendo::launch {

/// The text without the escape sequences that colour it on a terminal (ECMA-48, 5.4).
std::string without_colours(std::string_view text);

}  // namespace crescendo::launch
