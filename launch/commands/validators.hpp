#pragma once

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>

#include "core/number_from.hpp"
#include "core/words.hpp"

namespace crescendo::launch {

/// Accepts whole numbers of at least `least`. CLI11's own parser would turn -1 into the largest unsigned number, and
/// clamp numbers that are too large.
inline CLI::Validator at_least(std::int64_t least) {
    const auto check = [least](std::string& text) {
        const auto number = number_from<std::int64_t>(text);
        const bool fits = number && *number >= least;
        return fits ? std::string() : text + " is not a whole number from " + std::to_string(least) + " to 2^63 - 1";
    };
    return {check, least > 0 ? "POSITIVE" : "NONNEGATIVE"};
}
inline CLI::Validator at_least_one() { return at_least(1); }

/// Accepts finite numbers. CLI11's own parser would accept nan and inf.
inline CLI::Validator finite_number() {
    const auto check = [](std::string& text) {
        const auto number = number_from<double>(text);
        return number && std::isfinite(*number) ? std::string() : text + " is not a finite number";
    };
    return {check, "NUMBER"};
}

/// Accepts any number of threads that a process can be expected to get.
inline CLI::Validator number_of_threads() { return CLI::Range(1, 1024); }

/// Turns one of `words` into its value. CLI::CheckedTransformer would show users the numbers of the values.
template <class Enum, std::size_t Count>
CLI::Validator one_of(const Words<Enum, Count>& words) {
    const auto all = fmt::format("{{{}}}", fmt::join(words.all(), ","));
    const auto transform = [words, all](std::string& text) {
        const auto value = words.find(text);
        if (!value) {
            return text + " is not one of " + all;
        }
        text = std::to_string(static_cast<int>(*value));
        return std::string();
    };
    return {transform, all};
}

}  // namespace crescendo::launch
