#pragma once

#include <filesystem>
#include <string_view>

namespace crescendo {

/// Writes a file that a user named. A file that is there is replaced, and is whole at every moment; its permissions and
/// links to it stay. What is no file, such as a pipe or /dev/stdout, is written into. No other file in the folder is
/// touched. If two processes write at the same time, the last one has the word. Throws WriteError.
void write_output(const std::filesystem::path& path, std::string_view content);

/// As write_output(), for a file whose name the user did not give. Others may have put something of that name there, so
/// a link or a pipe is replaced, not followed.
void replace_output(const std::filesystem::path& path, std::string_view content);

}  // namespace crescendo
