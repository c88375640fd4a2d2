#pragma once

#include <chrono>
#include <optional>
#include <string_view>

namespace crescendo {

/// Parses a time as people write it: "30s", "90m", "1h30m", "2d", "08:00:00", "1-12:00:00". Nothing if `text` has
/// another form, such as a number without a unit.
std::optional<std::chrono::seconds> parse_duration(std::string_view text);

}  // namespace crescendo
