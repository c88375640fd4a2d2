#pragma once

#include <algorithm>
#include <string_view>

namespace crescendo {

/// `text` without leading and trailing blanks.
constexpr std::string_view trimmed(std::string_view text, std::string_view blanks = " ") {
    const auto begin = std::min(text.find_first_not_of(blanks), text.size());
    return text.substr(begin, text.find_last_not_of(blanks) + 1 - begin);
}

}  // namespace crescendo
