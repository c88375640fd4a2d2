#pragma once

#include <filesystem>
#include <vector>

namespace crescendo::datasets {

/// Whether `name` is a shell pattern, such as "era5/*.nc", rather than the name of a file that exists.
bool is_file_pattern(const std::filesystem::path& name);

/// The files that `name` stands for: those that match the pattern, sorted by name, or just the file of that name.
/// Throws InvalidInput if a pattern matches none.
std::vector<std::filesystem::path> files_named(const std::filesystem::path& name);

/// Name of a file that belongs to all files of a pattern: `pattern` without its special characters, so "era5/*.nc"
/// becomes "era5/_.nc". It is in the last folder that these files have in common.
std::filesystem::path name_for_all(const std::filesystem::path& pattern);

}  // namespace crescendo::datasets
