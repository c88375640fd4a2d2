#include "datasets/system/file_pattern.hpp"

#include <glob.h>

#include <algorithm>

#include "core/check.hpp"

namespace crescendo::datasets {

namespace fs = std::filesystem;

namespace {

constexpr const char* wildcards = "*?[";

/// Expands the pattern as the shell would.
std::vector<fs::path> expand(const fs::path& pattern) {
    glob_t found{};
    const int error = ::glob(pattern.c_str(), GLOB_NOSORT, nullptr, &found);
    std::vector<fs::path> files;
    if (error == 0) {
        files.assign(found.gl_pathv, found.gl_pathv + found.gl_pathc);
    }
    ::globfree(&found);
    return files;
}

}  // namespace

bool is_file_pattern(const fs::path& name) {
    std::error_code unknown;
    return name.string().find_first_of(wildcards) != std::string::npos && !fs::exists(name, unknown);
}

std::vector<fs::path> files_named(const fs::path& name) {
    if (!is_file_pattern(name)) {
        return {name};
    }
    auto files = expand(name);
    std::erase_if(files, [](const fs::path& file) {
        std::error_code unknown;
        return fs::is_directory(file, unknown) || file.string().ends_with(".stats.json");
    });
    CRESCENDO_VALIDATE(!files.empty(), "", "no file matches {}; relative paths start at {}", name.string(),
                       fs::current_path().string());
    std::sort(files.begin(), files.end());
    return files;
}

fs::path name_for_all(const fs::path& pattern) {
    const auto text = pattern.string();
    const auto folder_end = text.rfind('/', text.find_first_of(wildcards));
    const auto rest = folder_end == std::string::npos ? 0 : folder_end + 1;
    std::string name = text.substr(rest);
    std::replace_if(
        name.begin(), name.end(), [](char letter) { return std::string("*?[]/").find(letter) != std::string::npos; },
        '_');
    return text.substr(0, rest) + name;
}

}  // namespace crescendo::datasets
