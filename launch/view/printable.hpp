#pragma once

#include <string>
#include <string_view>

namespace crescendo::launch {

/// `text` without what would steer a terminal: names in foreign files may hold anything. Control characters are written
/// as \x1b; lines stay lines.
std::string printable(std::string_view text);

}  // namespace crescendo::launch
