#pragma once

#include <filesystem>
#include <vector>

namespace crescendo::datasets {

/// The files in a folder and in the folders below it, in the order of their paths, without those whose names begin with
/// '.'. If `path` is a file, the file itself. Throws InvalidInput if `path` is neither.
std::vector<std::filesystem::path> files_of(const std::filesystem::path& path);

}  // namespace crescendo::datasets
