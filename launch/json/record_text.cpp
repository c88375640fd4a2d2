#include "launch/json/record_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

#include "launch/json/json.hpp"

namespace crescendo::launch {
namespace {

bool is_plain(char c) { return c >= ' ' && c <= '~' && c != '"' && c != '\\'; }

}  // namespace

void append_number(std::string& text, double number) {
    if (!std::isfinite(number)) {
        text += "null";
        return;
    }
    const auto begin = text.size();
    fmt::format_to(std::back_inserter(text), "{}", number);
    if (text.find_first_of(".e", begin) == std::string::npos) {
        text += ".0";
    }
}

void append_string(std::string& text, const std::string& string) {
    if (std::all_of(string.begin(), string.end(), is_plain)) {
        text.append(1, '"').append(string).append(1, '"');
    } else {
        text += one_line(Json(string));
    }
}

std::string_view RecordScanner::string() {
    expect("\"");
    const auto end = std::find_if_not(text_.begin(), text_.end(), is_plain);
    const auto result = text_.substr(0, static_cast<std::size_t>(end - text_.begin()));
    text_.remove_prefix(result.size());
    expect("\"");
    return result;
}

}  // namespace crescendo::launch
