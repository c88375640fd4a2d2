#pragma once

#include <filesystem>
#include <optional>
#include <string>

namespace crescendo::launch {

/// Room for files of this user in a folder.
struct DiskRoom {
    double bytes = 0;     ///< what may still be written: what is free, or what the quota leaves, if that is less
    bool by_quota = false;
};

/// The room in an existing folder; nothing if the file system does not say, as one in memory without a limit, which
/// tells of 0 blocks in all. A quota of the user or of the folder's group counts where the kernel knows it (ext4, XFS
/// and others) or Lustre's `lfs quota` does. What is free already counts the quotas of projects and of NFS, where those
/// report it.
std::optional<DiskRoom> disk_room(const std::filesystem::path& folder);

/// Bytes that a quota leaves; nothing if there is no limit (0). The soft limit counts, because files beyond it are
/// refused after some days. All in bytes.
std::optional<double> left_by_quota(double used, double soft_limit, double hard_limit);

/// Bytes that a quota leaves by what `lfs quota -q` prints: file system, KiB used, soft limit, hard limit, and more.
/// Nothing if there is no limit.
std::optional<double> left_by_lustre(const std::string& printed);

}  // namespace crescendo::launch
