#pragma once

#include <algorithm>
#include <cstddef>
#include <string_view>

namespace crescendo {

/// Whether a byte of UTF-8 text continues a character instead of beginning one.
constexpr bool continues_character(char byte) { return (static_cast<unsigned char>(byte) & 0xC0U) == 0x80U; }

/// Number of characters (code points) in UTF-8 text.
constexpr std::size_t num_characters(std::string_view text) {
    return text.size() - static_cast<std::size_t>(std::count_if(text.begin(), text.end(), continues_character));
}

}  // namespace crescendo
