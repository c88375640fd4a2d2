#pragma once

#include <string>
#include <string_view>

namespace crescendo::launch {

/// `text` without what would steer a terminal: names in foreign files may hold anything. Control characters are written
/// as \x1b; lines stay lines.
std::string printable(std::string_view text);

/// "exit status 1; last words: … OSError: no data": what a message begins with, and its last line, if it has several.
std::string in_one_line(std::string_view text);

/// `text` with its bytes that are not UTF-8 replaced, for files that have to be UTF-8.
std::string valid_utf8(const std::string& text);

/// Text as HTML and XML show it, between tags and in attributes alike: printable(), and valid UTF-8.
std::string markup_text(std::string_view text);

}  // namespace crescendo::launch
