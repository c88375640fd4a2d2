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
/// Of two processes that write at a time, the one that began first gets the WriteError: the other took over from it.
void replace_durably(const std::filesystem::path& path, std::string_view content);

}  // namespace crescendo::trainer
