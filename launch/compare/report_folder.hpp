#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace crescendo::launch {

/// Files by name, with their contents.
using Files = std::vector<std::pair<std::string, std::string>>;

/// Throws InvalidInput if write_folder() could not create this folder: the path exists and is not an empty folder, or
/// its parent folder does not exist.
void require_place_for_folder(const std::filesystem::path& path);

/// Creates a folder with these files, all or nothing: the folder gets its name when all files are on the disk. Throws
/// InvalidInput as require_place_for_folder() does, and std::system_error if the disk fails.
void write_folder(const std::filesystem::path& path, const Files& files);

}  // namespace crescendo::launch
