#include "core/duration.hpp"

#include <algorithm>
#include <charconv>
#include <cstdint>

namespace crescendo {
namespace {

/// Removes a number of at most 9 digits from the front. No sum of such numbers overflows.
std::optional<std::int64_t> take_number(std::string_view& text) {
    std::int64_t value = 0;
    const auto digits = text.substr(0, text.find_first_not_of("0123456789"));
    if (digits.empty() || digits.size() > 9) {
        return {};
    }
    std::from_chars(digits.data(), digits.data() + digits.size(), value);
    text.remove_prefix(digits.size());
    return value;
}

/// Reads HH:MM:SS, which may be more than 24 hours.
std::optional<std::chrono::seconds> parse_clock(std::string_view text) {
    const auto hours = take_number(text);
    if (!hours || text.size() != 6 || text[0] != ':' || text[3] != ':') {
        return {};
    }
    auto minutes_text = text.substr(1, 2);
    auto seconds_text = text.substr(4, 2);
    const auto minutes = take_number(minutes_text);
    const auto seconds = take_number(seconds_text);
    if (!minutes || !seconds || !minutes_text.empty() || !seconds_text.empty() || *minutes > 59 || *seconds > 59) {
        return {};
    }
    return std::chrono::hours(*hours) + std::chrono::minutes(*minutes) + std::chrono::seconds(*seconds);
}

/// Number of seconds in the unit; 0 if there is no such unit.
int seconds_in(char unit) { return unit == 'd' ? 86400 : unit == 'h' ? 3600 : unit == 'm' ? 60 : unit == 's' ? 1 : 0; }

/// Reads a time such as 1h30m: each unit once, larger units first.
std::optional<std::chrono::seconds> parse_units(std::string_view text) {
    std::chrono::seconds total{0};
    int previous_unit = 1'000'000;
    do {
        const auto number = take_number(text);
        const int unit = text.empty() ? 0 : seconds_in(text.front());
        if (!number || unit == 0 || unit >= previous_unit) {
            return {};
        }
        total += std::chrono::seconds(*number * unit);
        previous_unit = unit;
        text.remove_prefix(1);
    } while (!text.empty());
    return total;
}

/// Longer than any sweep. A limit is needed because clocks that count nanoseconds in 64 bits overflow after 292 years.
constexpr std::chrono::seconds longest = std::chrono::days(36'500);

std::optional<std::chrono::seconds> parse_any(std::string_view text) {
    if (const auto dash = text.find('-'); dash != std::string_view::npos) {
        auto days_text = text.substr(0, dash);
        const auto days = take_number(days_text);
        const auto clock = parse_clock(text.substr(dash + 1));
        return days && days_text.empty() && clock ? std::optional(std::chrono::days(*days) + *clock) : std::nullopt;
    }
    return text.find(':') == std::string_view::npos ? parse_units(text) : parse_clock(text);
}

}  // namespace

std::optional<std::chrono::seconds> parse_duration(std::string_view text) {
    const auto duration = parse_any(text);
    return duration ? std::optional(std::min(*duration, longest)) : std::nullopt;
}

}  // namespace crescendo
