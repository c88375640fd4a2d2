#pragma once

#include <CLI/CLI.hpp>

#include <cstdint>
#include <map>
#include <string>

namespace crescendo::launch {

/// A whole number, at least 1. CLI::PositiveNumber would name the largest float there is.
inline CLI::Validator at_least_one() {
    const auto check = [](std::string& text) {
        std::int64_t number = 0;
        const bool fits = CLI::detail::lexical_cast(text, number) && number >= 1;
        return fits ? std::string() : text + " is no whole number of at least 1";
    };
    return {check, "POSITIVE"};
}

/// To transform one of some words into its value. CLI::CheckedTransformer would show the numbers behind the values.
template <class Enum>
CLI::Validator one_of(const std::map<std::string, Enum>& words) {
    std::string all;
    for (const auto& [word, value] : words) {
        all += (all.empty() ? "" : ",") + word;
    }
    const auto transform = [words, all](std::string& text) {
        const auto found = words.find(text);
        if (found == words.end()) {
            return text + " is none of {" + all + "}";
        }
        text = std::to_string(static_cast<int>(found->second));
        return std::string();
    };
    return {transform, "{" + all + "}"};
}

}  // namespace crescendo::launch
