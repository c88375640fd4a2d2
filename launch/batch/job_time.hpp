#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

namespace crescendo::launch {

/// Parses a job's time in the formats of sbatch's `--time`: 10 (minutes), 10:30 (minutes and seconds), 8:00:00, 1-12
/// (days and hours), 1-12:30, 1-12:30:00; or with units: 8h, 90m, 1h30m. Returns nothing if `text` is none of these.
std::optional<std::chrono::seconds> parse_job_time(std::string_view text);

/// A job's time in the format of batch systems: HH:MM:SS, with hours that may exceed 24.
std::string job_time_text(std::chrono::seconds time);

}  // namespace crescendo::launch
