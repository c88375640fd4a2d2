#pragma once

#include <filesystem>
#include <string>

namespace crescendo::launch {

/// Whether there is something at the path. Throws as cannot_read() does where that cannot be found out.
bool is_there(const std::filesystem::path& path);

/// Returns the bytes of a file. Throws as cannot_read() does.
std::string read_file(const std::filesystem::path& path);

/// Throws an error that names the file and the system's reason `error`. It is InvalidInput if the path is wrong. It is
/// std::system_error if the disk or the machine failed: the command may work once that is fixed.
[[noreturn]] void cannot_read(const std::filesystem::path& path, int error);

}  // namespace crescendo::launch
