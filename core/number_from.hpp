#pragma once

#include <charconv>
#include <optional>
#include <string_view>
#include <system_error>

namespace crescendo {

/// The number that all of `text` is; nothing if it is none, or the type cannot hold it.
template <class Number>
std::optional<Number> number_from(std::string_view text) {
    Number number{};
    const auto* const end = text.data() + text.size();
    const auto [rest, error] = std::from_chars(text.data(), end, number);
    return error == std::errc{} && rest == end ? std::optional(number) : std::nullopt;
}

}  // namespace crescendo
