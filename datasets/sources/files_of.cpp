#include "datasets/sources/files_of.hpp"

#include <algorithm>

#include "core/check.hpp"

namespace crescendo::datasets {

namespace fs = std::filesystem;

std::vector<fs::path> files_of(const fs::path& path) {
    CRESCENDO_VALIDATE(fs::exists(path), "", "{}: no such file or folder; relative paths start at {}", path.string(),
                       fs::current_path().string());
    if (!fs::is_directory(path)) {
        return {path};
    }
    std::vector<fs::path> files;
    for (const auto& entry : fs::recursive_directory_iterator(path, fs::directory_options::follow_directory_symlink)) {
        if (entry.is_regular_file() && !entry.path().filename().string().starts_with('.')) {
            files.push_back(entry.path());
        }
    }
    std::sort(files.begin(), files.end());
    return files;
}

}  // namespace crescendo::datasets
