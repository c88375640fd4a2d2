#pragma once

#include <sys/ioctl.h>

#include <cstddef>
#include <cstdio>
#include <string_view>

namespace crescendo::launch {

/// Control sequences of terminals.
inline constexpr std::string_view hide_cursor = "\x1b[?25l";
inline constexpr std::string_view show_cursor = "\x1b[?25h";

/// Columns of the terminal that `stream` writes to; `otherwise` if it is not a terminal.
inline std::size_t terminal_columns(std::FILE* stream, std::size_t otherwise) {
    winsize size{};
    return ::ioctl(::fileno(stream), TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : otherwise;
}

/// Rows of the terminal that `stream` writes to; `otherwise` if it is not a terminal.
inline std::size_t terminal_rows(std::FILE* stream, std::size_t otherwise) {
    winsize size{};
    return ::ioctl(::fileno(stream), TIOCGWINSZ, &size) == 0 && size.ws_row > 0 ? size.ws_row : otherwise;
}

}  // namespace crescendo::launch
