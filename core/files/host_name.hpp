#pragma once

#include <unistd.h>

#include <array>
#include <climits>
#include <string>

namespace crescendo {

/// This node's name.
inline std::string host_name() {
    std::array<char, HOST_NAME_MAX + 1> name{};
    ::gethostname(name.data(), name.size() - 1);
    return name.data();
}

}  // namespace crescendo
