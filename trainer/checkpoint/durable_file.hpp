#pragma once

#include <filesystem>
#include <functional>
#include <string_view>
#include <system_error>

namespace crescendo::trainer {

/// A file cannot be written.
struct WriteError : std::system_error {
    using std::system_error::system_error;
};

/// A function that takes the next bytes of a file.
using Sink = std::function<void(std::string_view)>;

/// Replaces `path` by a file with the bytes that `produce` gives to its sink. The file is written beside it, synced and
/// renamed, and the folder is synced, so a crash at any moment leaves the old content or the new. Throws WriteError and
/// what `produce` throws; then too, the old content or the new is there.
///
/// If two processes write at the same time, the one that began first gets the WriteError, because the other took over
/// from it.
void replace_durably(const std::filesystem::path& path, const std::function<void(const Sink&)>& produce);

}  // namespace crescendo::trainer
