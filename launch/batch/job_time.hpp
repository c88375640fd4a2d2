#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

namespace crescendo::launch {

/// The time of a job as sbatch's `--time` takes it: 10 (minutes), 10:30 (minutes and seconds), 8:00:00, 1-12 (days and
/// hours), 1-12:30, 1-12:30:00; or with units: 8h, 90m, 1h30m. Nothing where `text` is none of these.
std::optional<std::chrono::seconds> parse_job_time(std::string_view text);

/// The time of a job as batch systems take it: HH:MM:SS, where the hours may be more than 24.
std::string job_time_text(std::chrono::seconds time);

}  // namespace crescendo::launch
