#pragma once

#include <filesystem>
#include <vector>

namespace crescendo::datasets {

/// Whether `name` is a shell pattern, such as "era5/*.nc", rather than the name of a file that exists.
bool is_file_pattern(const std::filesystem::path& name);

/// The files that `name` stands for: those that match the pattern, sorted by name, or the file of that name alone.
/// Throws InvalidInput if a pattern matches none.
std::vector<std::filesystem::path> files_named(const std::filesystem::path& name);

/// `pattern` without the letters that make it one, as the name of a file that belongs to all files it stands for:
/// "era5/*.nc" becomes "era5/_.nc". It lies in the last folder that they have in common.
std::filesystem::path name_for_all(const std::filesystem::path& pattern);

}  // namespace crescendo::datasets
