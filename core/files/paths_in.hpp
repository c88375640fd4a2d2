#pragma once

#include <filesystem>
#include <system_error>
#include <vector>

namespace crescendo {

/// The paths of what is in a folder, in no particular order. Skips what cannot be listed. A range-based loop over a
/// directory_iterator would throw if the disk failed in the middle, even if its constructor got an error code.
inline std::vector<std::filesystem::path> paths_in(const std::filesystem::path& folder) {
    std::vector<std::filesystem::path> paths;
    std::error_code unreadable;
    for (std::filesystem::directory_iterator entry(folder, unreadable), end; entry != end;
         entry.increment(unreadable)) {
        paths.push_back(entry->path());
    }
    return paths;
}

}  // namespace crescendo
