#include "launch/display/wrapped_help.hpp"

namespace crescendo::launch {
namespace {

constexpr std::size_t description_column = 30;  // CLI11's default

/// The column at which a wrapped line continues; npos: the line is not wrapped.
std::size_t indent_of(std::string_view line) {
    if (!line.starts_with(' ')) {
        return 0;
    }
    const bool is_description = line.size() > description_column && line.substr(description_column - 2, 2) == "  ";
    return is_description ? description_column : line.npos;
}

}  // namespace

std::string wrapped_help(std::string_view help, std::size_t columns) {
    std::string result;
    while (!help.empty()) {
        const auto end = help.find('\n');
        auto line = help.substr(0, end);
        help.remove_prefix(end == help.npos ? help.size() : end + 1);
        const auto indent = indent_of(line);
        const bool has_room = indent != line.npos && columns >= indent + description_column;
        std::size_t taken = 0;  // columns that the indentation takes
        while (has_room && taken + line.size() > columns) {
            const auto blank = line.rfind(' ', columns - taken);
            if (blank == line.npos || blank < indent - taken) {
                break;  // one long word
            }
            result.append(line.substr(0, blank)).append(1, '\n').append(indent, ' ');
            line.remove_prefix(blank + 1);
            taken = indent;
        }
        result.append(line);
        result.append(end == help.npos ? 0 : 1, '\n');
    }
    return result;
}

}  // namespace crescendo::launch
