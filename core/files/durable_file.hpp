#pragma once

#include <filesystem>
#include <functional>
#include <string_view>
#include <system_error>

namespace crescendo {

/// A file cannot be written. The message names the file and the reason; code() returns the reason.
struct WriteError : std::system_error {
    using std::system_error::system_error;
};

/// What a file survives: `on_disk` also a crash of the machine, `none` only a crash of this process.
enum class Durability { on_disk, none };

/// Permissions of a file that everyone may read and write, and of one that only its owner may.
inline constexpr std::filesystem::perms for_all{0666};
inline constexpr std::filesystem::perms for_owner{0600};

/// A function that takes the next bytes of a file.
using Sink = std::function<void(std::string_view)>;

/// Replaces `path` by a file with the bytes that `produce` passes to its sink. The file is written next to `path` under
/// another name, synced and renamed, and the folder is synced, so a crash at any moment leaves either the old content
/// or the new. Throws WriteError and what `produce` throws; after that, too, `path` has the old content or the new.
///
/// If two processes write at the same time, the one that began first gets a WriteError, because the other took over
/// from it. The file has the `permissions`, except for those that the umask removes.
void replace_file(const std::filesystem::path& path, const std::function<void(const Sink&)>& produce,
                  Durability durability = Durability::on_disk, std::filesystem::perms permissions = for_all);

/// Replaces `path` by a file with this content, as above.
void replace_file(const std::filesystem::path& path, std::string_view content,
                  Durability durability = Durability::on_disk, std::filesystem::perms permissions = for_all);

/// Renames a complete file, so that a crash of the machine leaves either the old `to` or the whole file. Throws
/// WriteError.
void rename_durably(const std::filesystem::path& from, const std::filesystem::path& to);

/// Waits until a file, or the names in a folder, are on the disk. The empty path is the working folder. Some network
/// file systems cannot sync a folder's names; then this function does not wait for them. Throws WriteError.
void sync_to_disk(const std::filesystem::path& path);

}  // namespace crescendo
