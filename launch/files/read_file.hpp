#pragma once

#include <filesystem>
#include <string>

#include "core/files/file_descriptor.hpp"

namespace crescendo::launch {

/// Whether there is something at the path. Throws as cannot_read() does where that cannot be found out.
bool is_there(const std::filesystem::path& path);

/// Returns the bytes of a file that a user named, which may be a pipe. Throws as cannot_read() does.
std::string read_file(const std::filesystem::path& path);

/// Opens a file to read it. Throws as cannot_read() does, and InvalidInput if it is no regular file: who reads another
/// user's folder shall not wait for a pipe in it.
FileDescriptor open_regular_file(const std::filesystem::path& path);

/// Returns the bytes of a file that we wrote. Throws as open_regular_file() does.
std::string read_regular_file(const std::filesystem::path& path);

/// Throws an error that names the file and the system's reason `error`. It is InvalidInput if the path is wrong. It is
/// std::system_error if the disk or the machine failed: the command may work once that is fixed.
[[noreturn]] void cannot_read(const std::filesystem::path& path, int error);

}  // namespace crescendo::launch
