#pragma once

#include <charconv>
#include <optional>
#include <string_view>
#include <system_error>

namespace crescendo {

/// Parses all of `text` as a number. Nothing if it is not a number, or if `Number` cannot hold it.
template <class Number>
std::optional<Number> number_from(std::string_view text) {
    Number number{};
    const auto* const end = text.data() + text.size();
    const auto [rest, error] = std::from_chars(text.data(), end, number);
    return error == std::errc{} && rest == end ? std::optional(number) : std::nullopt;
}

}  // namespace crescendo
