#pragma once

#include <filesystem>
#include <string_view>
#include <system_error>

namespace crescendo::trainer {

/// A file cannot be written.
struct WriteError : std::system_error {
    using std::system_error::system_error;
};

/// Puts a file with this content in the place of `path`: written beside it, synced, renamed, and the folder
/// synced, so that a crash at any moment leaves the old content or the new. Throws WriteError; the
/// old content or the new is there.
///
/// Of two that write at a time, one that stood still while the other began gets the WriteError.
void replace_durably(const std::filesystem::path& path, std::string_view content);

}  // namespace crescendo::trainer
