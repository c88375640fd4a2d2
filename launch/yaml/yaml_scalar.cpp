#include "launch/yaml/yaml_scalar.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <initializer_list>
#include <limits>
#include <optional>
#include <stdexcept>
#include <string>

namespace crescendo::launch {
namespace {

bool is_one_of(std::string_view text, std::initializer_list<std::string_view> words) {
    return std::find(words.begin(), words.end(), text) != words.end();
}

std::string_view without_sign(std::string_view text) {
    return text.substr(text.starts_with('+') || text.starts_with('-') ? 1 : 0);
}

/// Parses the whole of `text` as a number, if it is one. std::from_chars accepts a minus sign, but no plus.
template <class Number, class... Base>
std::optional<Number> parse_whole(std::string_view text, Base... base) {
    text.remove_prefix(text.starts_with('+') ? 1 : 0);
    Number value{};
    const auto* const end = text.data() + text.size();
    const auto parsed = std::from_chars(text.data(), end, value, base...);
    if (parsed.ptr != end || parsed.ec == std::errc::invalid_argument) {
        return {};
    }
    if (parsed.ec == std::errc::result_out_of_range) {
        throw std::out_of_range("does not fit into 64 bits");
    }
    return value;
}

OrderedJson parse_with_base(std::string_view text, int base) {
    const auto digits = text.substr(2);
    if (digits.starts_with('-') || digits.starts_with('+')) {
        return std::string(text);
    }
    const auto value = parse_whole<std::int64_t>(digits, base);
    return value ? OrderedJson(*value) : OrderedJson(std::string(text));
}

OrderedJson parse_decimal(std::string_view text) {
    if (const auto value = parse_whole<std::int64_t>(text)) {
        return *value;
    }
    if (const auto value = parse_whole<double>(text)) {
        return *value;
    }
    return std::string(text);
}

}  // namespace

OrderedJson parse_plain_scalar(std::string_view text) {
    if (is_one_of(text, {"", "~", "null", "Null", "NULL"})) {
        return nullptr;
    }
    if (is_one_of(text, {"true", "True", "TRUE"})) {
        return true;
    }
    if (is_one_of(text, {"false", "False", "FALSE"})) {
        return false;
    }
    if (is_one_of(text, {".nan", ".NaN", ".NAN"})) {
        return std::numeric_limits<double>::quiet_NaN();
    }
    const auto unsigned_text = without_sign(text);
    if (is_one_of(unsigned_text, {".inf", ".Inf", ".INF"})) {
        const auto infinity = std::numeric_limits<double>::infinity();
        return text.starts_with('-') ? -infinity : infinity;
    }
    if (text.starts_with("0o") || text.starts_with("0x")) {
        return parse_with_base(text, text[1] == 'o' ? 8 : 16);
    }
    if (unsigned_text.starts_with('.') ||
        (!unsigned_text.empty() && std::isdigit(static_cast<unsigned char>(unsigned_text[0])))) {
        return parse_decimal(text);
    }
    return std::string(text);
}

}  // namespace crescendo::launch
