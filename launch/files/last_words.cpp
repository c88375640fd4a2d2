#include "launch/files/last_words.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <system_error>

#include "launch/files/without_colours.hpp"

namespace crescendo::launch {

std::uintmax_t size_of_log(const std::string& log) {
    std::error_code none_yet;
    const auto size = std::filesystem::file_size(log, none_yet);
    return none_yet ? 0 : size;
}

std::string last_words(const std::string& log, std::uintmax_t begin) {
    constexpr std::streamoff most = 1000;
    std::error_code none;
    if (!std::filesystem::is_regular_file(log, none)) {  // opening a pipe could block forever
        return {};
    }
    std::ifstream file(log, std::ios::binary | std::ios::ate);
    if (!file) {
        return {};
    }
    const std::streamoff size = file.tellg();
    const auto first = std::min(static_cast<std::streamoff>(begin), size);
    file.seekg(std::max(first, size - most));
    std::string tail(std::istreambuf_iterator<char>(file), {});
    if (size - first > most) {
        tail.erase(0, tail.find('\n') + 1);
    }
    tail = without_colours(tail);
    tail.erase(tail.find_last_not_of(" \t\n\v\f\r") + 1);
    return tail;
}

std::string quoted(const std::string& last_words) {
    return last_words.empty() ? "it printed nothing" : "last words: " + last_words;
}

bool end_last_line(const std::string& path) {
    std::error_code none;
    if (!std::filesystem::is_regular_file(path, none)) {
        return false;
    }
    std::fstream file(path, std::ios::in | std::ios::out | std::ios::app);
    char last = '\n';
    const bool is_torn = file.seekg(-1, std::ios::end) && file.get(last) && last != '\n';
    if (is_torn) {
        file.put('\n');
    }
    return is_torn;
}

}  // namespace crescendo::launch
