#pragma once

#include <filesystem>
#include <vector>

namespace crescendo::datasets {

/// The files in a folder and all folders below it, sorted by path, except those whose names begin with '.'. If `path`
/// is a file, that file. Throws InvalidInput if `path` is neither.
std::vector<std::filesystem::path> files_of(const std::filesystem::path& path);

}  // namespace crescendo::datasets
