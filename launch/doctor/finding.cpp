#include "launch/doctor/finding.hpp"

#include <fmt/format.h>

namespace crescendo::launch {

std::string size_text(double bytes) {
    for (const char* unit : {"B", "KiB", "MiB", "GiB"}) {
        if (bytes < 1024) {
            return fmt::format("{:.3g} {}", bytes, unit);
        }
        bytes /= 1024;
    }
    return fmt::format("{:.3g} TiB", bytes);
}

}  // namespace crescendo::launch
