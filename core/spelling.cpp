#include "core/spelling.hpp"

#include <algorithm>

namespace crescendo {
namespace {

std::string in_small_letters(std::string_view word) {
    std::string small(word);
    for (char& c : small) {
        c = 'A' <= c && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    }
    return small;
}

}  // namespace

int edit_distance(std::string_view a, std::string_view b) {
    // rows[i][j]: the distance of the first i characters of a from the first j of b
    std::vector<std::vector<int>> rows(a.size() + 1, std::vector<int>(b.size() + 1));
    for (std::size_t i = 0; i <= a.size(); ++i) {
        for (std::size_t j = 0; j <= b.size(); ++j) {
            if (i == 0 || j == 0) {
                rows[i][j] = static_cast<int>(i + j);
                continue;
            }
            const int replaced = a[i - 1] == b[j - 1] ? 0 : 1;
            rows[i][j] = std::min({rows[i - 1][j] + 1, rows[i][j - 1] + 1, rows[i - 1][j - 1] + replaced});
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
                rows[i][j] = std::min(rows[i][j], rows[i - 2][j - 2] + 1);
            }
        }
    }
    return rows[a.size()][b.size()];
}

std::optional<std::string> nearest_word(std::string_view word, const std::vector<std::string>& words) {
    const auto distance = [small = in_small_letters(word)](const std::string& other) {
        return edit_distance(small, in_small_letters(other));
    };
    const auto nearest = std::ranges::min_element(words, {}, distance);
    if (nearest == words.end()) {
        return {};
    }
    // If up to a third of the letters differ, the word is mistyped. If more differ, or no letter is left, it is another
    // word.
    const int mistyped = distance(*nearest);
    const bool is_near = mistyped <= std::max<int>(1, static_cast<int>(word.size()) / 3) &&
                         mistyped < static_cast<int>(std::max(word.size(), nearest->size()));
    return is_near ? std::optional(*nearest) : std::nullopt;
}

std::string did_you_mean(std::string_view word, const std::vector<std::string>& words) {
    const auto nearest = nearest_word(word, words);
    return nearest ? " (did you mean '" + *nearest + "'?)" : "";
}

std::string enumerate(const std::vector<std::string>& words, std::string_view last_separator) {
    std::string result;
    for (std::size_t i = 0; i < words.size(); ++i) {
        result += i == 0 ? "" : i + 1 == words.size() ? last_separator : ", ";
        result += words[i];
    }
    return result;
}

}  // namespace crescendo
