#include "core/shell_words.hpp"

#include <algorithm>
#include <cctype>
#include <string_view>

namespace crescendo {
namespace {

/// Whether the character has no special meaning to a shell, anywhere in a word.
bool is_plain(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) || std::string_view("_./:=,@%+-").find(c) != std::string::npos;
}

}  // namespace

bool is_plain_word(const std::string& text) { return !text.empty() && std::all_of(text.begin(), text.end(), is_plain); }

std::string shell_quoted(const std::string& text) {
    if (is_plain_word(text)) {
        return text;
    }
    std::string result = "'";
    for (const char c : text) {
        result += c == '\'' ? std::string("'\\''") : std::string(1, c);
    }
    return result + "'";
}

std::string shell_quoted(const std::filesystem::path& path) { return shell_quoted(path.string()); }

std::optional<std::string> shell_unquoted(const std::string& word) {
    auto text = word;
    if (word.size() >= 2 && word.front() == '\'' && word.back() == '\'') {
        text = word.substr(1, word.size() - 2);
        constexpr std::string_view quote = "'\\''";
        for (auto at = text.find(quote); at != std::string::npos; at = text.find(quote, at + 1)) {
            text.replace(at, quote.size(), "'");
        }
    }
    return shell_quoted(text) == word ? std::optional(text) : std::nullopt;
}

}  // namespace crescendo
