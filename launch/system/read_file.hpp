#pragma once

#include <filesystem>
#include <string>

namespace crescendo::launch {

/// The bytes of a file. Throws as cannot_read() does.
std::string read_file(const std::filesystem::path& path);

/// Throws InvalidInput, naming the file and the system's reason `error`, where the path is to blame; where it is the
/// disk or the machine, which may be mended and the command given again, std::system_error.
[[noreturn]] void cannot_read(const std::filesystem::path& path, int error);

}  // namespace crescendo::launch
