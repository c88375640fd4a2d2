#pragma once

#include <filesystem>
#include <string>

namespace crescendo::launch {

/// The bytes of a file. Throws InvalidInput that names the file and the system's reason.
std::string read_file(const std::filesystem::path& path);

}  // namespace crescendo::launch
