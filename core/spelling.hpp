#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace crescendo {

/// Least number of insertions, deletions, replacements and swaps of neighbors that turn `a` into `b` (optimal string
/// alignment).
int edit_distance(std::string_view a, std::string_view b);

/// The most similar of `words`, if any is close.
std::optional<std::string> nearest_word(std::string_view word, const std::vector<std::string>& words);

/// " (did you mean 'min'?)" with the most similar of `words`, or "" if none is close.
std::string did_you_mean(std::string_view word, const std::vector<std::string>& words);

/// Lists words for messages: "a", "a or b", "a, b or c".
std::string enumerate(const std::vector<std::string>& words, std::string_view last_separator = " or ");

/// The member `name` of each element, for messages.
template <class Elements>
std::vector<std::string> names_of(const Elements& elements) {
    std::vector<std::string> names;
    for (const auto& each : elements) {
        names.emplace_back(each.name);
    }
    return names;
}

}  // namespace crescendo
