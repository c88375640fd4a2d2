#pragma once

#include <string_view>

namespace crescendo::launch {

/// Control sequences of terminals.
inline constexpr std::string_view hide_cursor = "\x1b[?25l";
inline constexpr std::string_view show_cursor = "\x1b[?25h";

}  // namespace crescendo::launch
