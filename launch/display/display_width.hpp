#pragma once

#include <cstddef>
#include <string_view>

namespace crescendo::launch {

/// How many columns of a terminal a text in UTF-8 takes: two for 学 or 🚀, none for an accent that joins the letter
/// before it, one for most characters.
std::size_t display_width(std::string_view text);

/// The longest beginning of `text`, in whole characters, that takes at most `columns`.
std::string_view fitting(std::string_view text, std::size_t columns);

}  // namespace crescendo::launch
