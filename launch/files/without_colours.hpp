#pragma once

#include <string>
#include <string_view>

namespace crescendo::launch {

/// The text as a terminal shows it, without the sequences that colour it (ECMA-48, 5.4).
std::string without_colours(std::string_view text);

}  // namespace crescendo::launch
