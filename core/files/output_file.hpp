#pragma once

#include <filesystem>
#include <string_view>

namespace crescendo {

/// Writes a file that a user named. An existing file is replaced, and is complete at every moment; its permissions, and
/// symbolic links to it, stay. If `path` is not a regular file, such as a pipe, or is /dev/stdout, the content is added
/// to it. No other file in the folder is touched. If two processes write at the same time, the last one wins. Throws
/// WriteError.
void write_output(const std::filesystem::path& path, std::string_view content);

/// As write_output(), for a file that the user did not name. Somebody else may have put something with that name there,
/// so a link or a pipe is replaced, not followed.
void replace_output(const std::filesystem::path& path, std::string_view content);

}  // namespace crescendo
