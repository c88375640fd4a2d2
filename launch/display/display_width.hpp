#pragma once

#include <cstddef>
#include <string_view>

namespace crescendo::launch {

/// Number of terminal columns that a UTF-8 text takes: two for 学 or 🚀, none for a combining accent, one for most
/// characters.
std::size_t display_width(std::string_view text);

/// The longest prefix of `text`, in whole characters, that takes at most `columns`.
std::string_view fitting(std::string_view text, std::size_t columns);

}  // namespace crescendo::launch
