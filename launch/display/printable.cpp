#include "launch/display/printable.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "launch/json/json.hpp"

namespace crescendo::launch {

std::string printable(std::string_view text) {
    std::string result;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const auto byte = static_cast<unsigned char>(text[i]);
        const auto next = i + 1 < text.size() ? static_cast<unsigned char>(text[i + 1]) : 0U;
        if ((byte < ' ' && byte != '\n' && byte != '\r' && byte != '\t') || byte == 0x7F) {
            result += fmt::format("\\x{:02x}", byte);
        } else if (byte == 0xC2 && next >= 0x80 && next < 0xA0) {  // Unicode's other control characters, in UTF-8
            result += fmt::format("\\x{:02x}", next);
            ++i;
        } else {
            result += text[i];
        }
    }
    return result;
}

std::string printable_line(std::string text) {
    std::ranges::replace_if(
        text, [](char c) { return c == '\n' || c == '\r' || c == '\t'; }, ' ');
    return printable(text);
}

std::string in_one_line(std::string_view text) {
    text = text.substr(0, text.find_last_not_of("\r\n ") + 1);
    const auto last = text.substr(text.rfind('\n') + 1);
    const auto first = text.substr(0, text.find('\n'));
    if (first.data() == last.data()) {
        return std::string(last);
    }
    constexpr std::string_view words = "last words: ";
    const auto at = first.find(words);
    return fmt::format("{} … {}", first.substr(0, at == first.npos ? at : at + words.size() - 1), last);
}

std::string markup_text(std::string_view text) {
    constexpr std::string_view special = "&<>\"'";
    constexpr std::array escapes{"&amp;", "&lt;", "&gt;", "&quot;", "&#39;"};
    std::string result;
    const auto valid_utf8 = Json::parse(one_line(Json(printable(text)))).get<std::string>();
    for (const char c : valid_utf8) {
        const auto at = special.find(c);
        if (at == special.npos) {
            result += c;
        } else {
            result += escapes[at];
        }
    }
    return result;
}

}  // namespace crescendo::launch
