#include "launch/import/imported_sweep.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <stdexcept>
#include <utility>

#include "core/number_from.hpp"
#include "launch/display/printable.hpp"
#include "launch/json/record_text.hpp"
#include "launch/yaml/yaml_scalar.hpp"

namespace crescendo::launch {
namespace {

constexpr std::size_t width = 120;
constexpr std::uint64_t most_listed = 1000;

/// Whether YAML reads the unquoted text as text.
bool is_read_as_text(const std::string& text) {
    try {
        return parse_plain_scalar(text).is_string();
    } catch (const std::out_of_range&) {  // a number beyond 64 bits
        return false;
    }
}

/// The text as a plain scalar if YAML reads it back as the same text, else in quotes.
std::string scalar(const std::string& text) {
    const auto is_plain = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; };
    const auto may_follow = [&](char c) { return is_plain(c) || c == '-' || c == '.' || c == '/'; };
    const bool plain = !text.empty() && is_plain(text[0]) && std::ranges::all_of(text, may_follow) &&
                       is_read_as_text(text);
    return plain ? text : one_line(OrderedJson(text));
}

std::string shortest_text(double value) {
    if (!std::isfinite(value)) {
        return std::isnan(value) ? ".nan" : value > 0 ? ".inf" : "-.inf";
    }
    std::string text;
    append_number(text, value);  // 2.0 rather than 2, which makes another distribution
    return text;
}

std::string joined(const OrderedJson& items, const auto& text_of_item) {
    std::string text;
    for (const auto& [key, value] : items.items()) {
        text += (text.empty() ? "" : ", ") + text_of_item(key, value);
    }
    return text;
}

/// The text as a one-line YAML comment.
std::string comment_of(const std::string& text) { return "# " + printable_line(text); }

void append(const ImportedLine& line, const std::string& indent, std::string& text) {
    const bool is_group = !line.parameters.empty();
    auto entry = indent + scalar(line.key) + ":" + (is_group ? "" : " " + flow(line.value));
    if (!line.comment.empty()) {
        const auto comment = comment_of(line.comment);
        if (entry.size() + 2 + comment.size() <= width) {
            entry += "  " + comment;
        } else {
            text += indent + comment + "\n";
        }
    }
    text += entry + "\n";
    if (is_group) {
        if (!line.when.empty()) {
            text += indent + "  when: " + scalar(line.when) + "\n";
        }
        text += indent + "  parameters:\n";
        for (const auto& inner : line.parameters) {
            append(inner, indent + "    ", text);
        }
    }
}

}  // namespace

std::string flow(const OrderedJson& value) {
    if (value.is_object()) {
        return "{" + joined(value, [](const auto& key, const auto& each) { return scalar(key) + ": " + flow(each); }) +
               "}";
    }
    if (value.is_array()) {
        return "[" + joined(value, [](const auto&, const auto& each) { return flow(each); }) + "]";
    }
    if (value.is_string()) {
        return scalar(value.get<std::string>());
    }
    return value.is_number_float() ? shortest_text(value.get<double>()) : value.dump();
}

void note_lost(const std::vector<std::string>& keys, ImportedSweep& sweep) {
    if (!keys.empty()) {
        sweep.notes.push_back(fmt::format("not carried over: {}", fmt::join(keys, ", ")));
    }
}

ImportedLine name_line(std::string name) {
    std::ranges::replace(name, '/', '-');
    return {"name", std::move(name)};
}

std::string text_of(const ImportedSweep& sweep, const std::string& source) {
    auto text = comment_of(fmt::format("From {}, {}.", source, sweep.origin)) + "\n";
    for (const auto& note : sweep.notes) {
        text += comment_of("* " + note) + "\n";
    }
    for (const auto& line : sweep.head) {
        append(line, "", text);
    }
    text += "parameters:\n";
    for (const auto& parameter : sweep.parameters) {
        append(parameter, "  ", text);
    }
    for (const auto& line : sweep.tail) {
        append(line, "", text);
    }
    return text;
}

OrderedJson uniform(const OrderedJson& min, const OrderedJson& max) {
    return {{"distribution", "uniform"}, {"min", min}, {"max", max}};
}

OrderedJson log_uniform(double min, double max) {
    return {{"distribution", "log_uniform_values"}, {"min", min}, {"max", max}};
}

OrderedJson choice(const OrderedJson& values) { return {{"values", values}}; }

OrderedJson constant(const OrderedJson& value) { return {{"value", value}}; }

/// Returns integers as they are in JSON, because a double holds every whole number only up to 2^53.
std::optional<std::int64_t> whole_number(const OrderedJson& number) {
    constexpr double end = 9223372036854775808.0;  // 2^63
    if (number.is_number_unsigned()) {
        const auto whole = number.get<std::uint64_t>();
        return std::in_range<std::int64_t>(whole) ? std::optional(static_cast<std::int64_t>(whole)) : std::nullopt;
    }
    if (number.is_number_integer()) {
        return number.get<std::int64_t>();
    }
    const auto value = number.get<double>();
    return -end <= value && value < end ? std::optional(static_cast<std::int64_t>(value)) : std::nullopt;
}

ImportedLine whole_numbers(const std::string& name, std::int64_t min, std::int64_t max, std::int64_t step) {
    const OrderedJson range{{"min", min}, {"max", max}};
    if (step <= 1) {
        return {name, min < max ? range : constant(min)};
    }
    // Unsigned, because the width of a range may exceed 63 bits.
    const auto first = static_cast<std::uint64_t>(min);
    const auto num_steps = (static_cast<std::uint64_t>(max) - first) / static_cast<std::uint64_t>(step);
    if (max >= min && num_steps > most_listed) {
        return {name, range, fmt::format("was in steps of {}; now in steps of 1", step)};
    }
    auto values = OrderedJson::array();
    for (std::uint64_t i = 0; max >= min && i <= num_steps; ++i) {
        values.push_back(static_cast<std::int64_t>(first + i * static_cast<std::uint64_t>(step)));
    }
    return {name, choice(values)};
}

ImportedLine stepped_numbers(const std::string& name, double min, double max, double step) {
    const double num_steps = std::floor((max - min) / step + 1e-9);
    if (max < min || !(num_steps <= most_listed)) {
        return {name, uniform(min, max), fmt::format("was in steps of {}; now continuous", step)};
    }
    // Rounded to twelve digits of the largest number: 0.3 rather than 0.30000000000000004, and 0 rather than 5e-17.
    const double largest = std::max(std::fabs(min), std::fabs(max));
    const int decimals = largest > 0 ? std::max(0, 12 - static_cast<int>(std::ceil(std::log10(largest)))) : 0;
    auto values = OrderedJson::array();
    for (int i = 0; i <= static_cast<int>(num_steps); ++i) {
        const auto value = number_from<double>(fmt::format("{:.{}f}", min + i * step, decimals));
        values.push_back(value.value_or(0) + 0.0);  // 0 instead of -0
    }
    return {name, choice(values)};
}

}  // namespace crescendo::launch
