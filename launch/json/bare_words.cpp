#include "launch/json/bare_words.hpp"

namespace crescendo::launch {

std::string without_bare_words(std::string_view json) {
    std::string result;
    bool in_string = false;
    while (!json.empty()) {
        if (!in_string) {
            bool replaced = false;
            for (const std::string_view word :
                 {"NaN", "-Infinity", "Infinity", "nan", "-nan", "infinity", "-infinity", "inf", "-inf"}) {
                if (json.starts_with(word)) {
                    result += "null";
                    json.remove_prefix(word.size());
                    replaced = true;
                    break;
                }
            }
            if (replaced) {
                continue;
            }
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
