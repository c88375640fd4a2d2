#pragma once

#include <chrono>
#include <optional>
#include <string_view>

namespace crescendo {

/// A time as people write it: "30s", "90m", "1h30m", "2d", "08:00:00", "1-12:00:00". Nothing where `text` is none of
/// these; a number without a unit is none.
std::optional<std::chrono::seconds> parse_duration(std::string_view text);

}  // namespace crescendo
