#pragma once

#include <filesystem>
#include <vector>

namespace crescendo::datasets {

/// The files in a folder and in those below it, in the order of their paths, without those whose names begin with '.';
/// of a file, itself. Throws InvalidInput where there is neither.
std::vector<std::filesystem::path> files_of(const std::filesystem::path& path);

}  // namespace crescendo::datasets
