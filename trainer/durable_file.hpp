#pragma once

#include <filesystem>
#include <string_view>

namespace crescendo::trainer {

/// Puts a file with this content in the place of `path`: written beside it, synced, renamed, and the folder
/// synced, so that a crash at any moment leaves the old content or the new. Throws std::system_error.
void replace_durably(const std::filesystem::path& path, std::string_view content);

}  // namespace crescendo::trainer
