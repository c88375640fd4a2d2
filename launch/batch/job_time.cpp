#include "launch/batch/job_time.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <vector>

#include "core/duration.hpp"
#include "core/number_from.hpp"

namespace crescendo::launch {
namespace {

/// Digits only. No sum of such numbers overflows.
using Number = std::uint32_t;

/// Parses the numbers between colons. Returns nothing if one is not a number, or if one after the first exceeds 59.
std::optional<std::vector<Number>> parse_fields(std::string_view text) {
    std::vector<Number> fields;
    for (;;) {
        const auto colon = text.find(':');
        const auto number = number_from<Number>(text.substr(0, colon));
        if (!number || (!fields.empty() && *number > 59)) {
            return {};
        }
        fields.push_back(*number);
        if (colon == std::string_view::npos) {
            return fields;
        }
        text.remove_prefix(colon + 1);
    }
}

}  // namespace

std::optional<std::chrono::seconds> parse_job_time(std::string_view text) {
    const auto dash = text.find('-');
    const bool has_days = dash != std::string_view::npos;
    const auto days = has_days ? number_from<Number>(text.substr(0, dash)) : std::optional<Number>(0);
    auto fields = parse_fields(text.substr(has_days ? dash + 1 : 0));
    if (!days || !fields || fields->size() > 3) {
        return parse_duration(text);
    }
    // After days, the first field is hours. Without days, one field is minutes, and two fields are minutes and seconds.
    if (!has_days && fields->size() < 3) {
        fields->insert(fields->begin(), 0);
    }
    fields->resize(3);
    return std::chrono::days(*days) + std::chrono::hours((*fields)[0]) + std::chrono::minutes((*fields)[1]) +
           std::chrono::seconds((*fields)[2]);
}

std::string job_time_text(std::chrono::seconds time) {
    const auto s = time.count();
    return fmt::format("{:02}:{:02}:{:02}", s / 3600, s / 60 % 60, s % 60);
}

}  // namespace crescendo::launch
