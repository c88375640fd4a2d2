#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace crescendo::launch {

/// Names of files, and their content.
using Files = std::vector<std::pair<std::string, std::string>>;

/// Throws InvalidInput if write_folder() could not make this folder: there is something by that name that is not an
/// empty folder, or there is no folder for it.
void require_place_for_folder(const std::filesystem::path& path);

/// Makes a folder with these files, all or nothing: the folder gets its name when all are on the disk. Throws
/// InvalidInput as require_place_for_folder() does, and std::system_error if the disk fails.
void write_folder(const std::filesystem::path& path, const Files& files);

}  // namespace crescendo::launch
