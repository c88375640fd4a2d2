#pragma once

#include <string>
#include <string_view>

namespace crescendo::launch {

/// `text` with control characters escaped, such as \x1b, so that names in foreign files cannot control the terminal.
/// Line feeds are kept.
std::string printable(std::string_view text);

/// As printable(), with spaces for line ends and tabs, for text that must not break a line or a column.
std::string printable_line(std::string text);

/// The first line of a message and, if there are several, its last: "exit status 1; last words: … OSError: no data".
std::string in_one_line(std::string_view text);

/// `text` escaped for HTML and XML, for use between tags and in attributes. It is printable() and valid UTF-8.
std::string markup_text(std::string_view text);

}  // namespace crescendo::launch
