#include "launch/batch/job_time.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cstdint>
#include <vector>

#include "core/duration.hpp"

namespace crescendo::launch {
namespace {

/// Parses digits only, few enough that no sum of such numbers overflows.
std::optional<std::int64_t> parse_number(std::string_view text) {
    if (text.empty() || text.size() > 9 || text.find_first_not_of("0123456789") != std::string_view::npos) {
        return {};
    }
    std::int64_t value = 0;
    std::from_chars(text.data(), text.data() + text.size(), value);
    return value;
}

/// Parses the numbers between colons. Returns nothing if one is not a number, or if one after the first exceeds 59.
std::optional<std::vector<std::int64_t>> parse_fields(std::string_view text) {
    std::vector<std::int64_t> fields;
    for (;;) {
        const auto colon = text.find(':');
        const auto number = parse_number(text.substr(0, colon));
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
    const auto days = has_days ? parse_number(text.substr(0, dash)) : std::optional<std::int64_t>(0);
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
