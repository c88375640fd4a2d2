#pragma once

#include <filesystem>
#include <string>

#include "core/files/file_descriptor.hpp"

namespace crescendo::launch {

/// Whether something exists at the path. Throws as cannot_read() does if that cannot be determined.
bool is_there(const std::filesystem::path& path);

/// Returns the bytes of a file that a user named, which may be a pipe. Throws as cannot_read() does.
std::string read_file(const std::filesystem::path& path);

/// Opens a file for reading. Throws as cannot_read() does, and InvalidInput if it is not a regular file: reading
/// another user's folder must not block on a pipe in it.
FileDescriptor open_regular_file(const std::filesystem::path& path);

/// Returns the bytes of a file that we wrote. Throws as open_regular_file() does.
std::string read_regular_file(const std::filesystem::path& path);

/// Throws an error that names the file and the system's reason, the errno value `error`: InvalidInput if the path is
/// wrong, std::system_error if the disk or the machine failed, so that the command may work once that is fixed.
[[noreturn]] void cannot_read(const std::filesystem::path& path, int error);

}  // namespace crescendo::launch
