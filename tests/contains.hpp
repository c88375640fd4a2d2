#pragma once

#include <string>

namespace crescendo::tests {

inline bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

}  // namespace crescendo::tests
