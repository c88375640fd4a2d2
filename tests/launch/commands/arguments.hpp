#pragma once

#include <string>
#include <vector>

namespace crescendo::tests {

/// The arguments of a command, followed by more.
inline std::vector<std::string> with(std::vector<std::string> arguments, const std::vector<std::string>& more) {
    arguments.insert(arguments.end(), more.begin(), more.end());
    return arguments;
}

}  // namespace crescendo::tests
