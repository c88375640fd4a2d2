#pragma once

#include <cstddef>
#include <string>

namespace crescendo::tests {

/// How often `part` occurs in `text`.
inline std::size_t count(const std::string& text, const std::string& part) {
    std::size_t number = 0;
    for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) {
        ++number;
    }
    return number;
}

}  // namespace crescendo::tests
