#include "launch/files/last_line.hpp"

#include <filesystem>
#include <fstream>
#include <system_error>

namespace crescendo::launch {

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
