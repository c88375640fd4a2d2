#include "launch/json/bare_words.hpp"

#include <algorithm>
#include <array>

namespace crescendo::launch {

std::string without_bare_words(std::string_view json, std::string_view replacement) {
    constexpr std::array<std::string_view, 9> words{"NaN",      "-Infinity", "Infinity", "nan", "-nan",
                                                    "infinity", "-infinity", "inf",      "-inf"};
    std::string result;
    bool in_string = false;
    while (!json.empty()) {
        const auto* const word = std::ranges::find_if(words, [&](auto each) { return json.starts_with(each); });
        if (!in_string && word != words.end()) {
            result += replacement;
            json.remove_prefix(word->size());
            continue;
        }
        if (in_string && json.front() == '\\' && json.size() > 1) {
            result += json.front();
            json.remove_prefix(1);
        } else if (json.front() == '"') {
            in_string = !in_string;
        }
        result += json.front();
        json.remove_prefix(1);
    }
    return result;
}

}  // namespace crescendo::launch
