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

/// Takes the next bytes of a file.
using Sink = std::function<void(std::string_view)>;

/// Puts a file with the bytes that `produce` gives to its sink in the place of `path`: written beside it, synced,
/// renamed, and the folder synced, so that a crash at any moment leaves the old content or the new. Throws WriteError
/// and what `produce` throws; the old content or the new is there.
///
/// Of two processes that write at a time, the one that began first gets the WriteError: the other took over from it.
void replace_durably(const std::filesystem::path& path, const std::function<void(const Sink&)>& produce);

}  // namespace crescendo::trainer
