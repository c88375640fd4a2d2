#pragma once

#include <filesystem>
#include <optional>
#include <string>

namespace crescendo::launch {

/// Space that this user may fill in a folder.
struct DiskRoom {
    double bytes = 0;     ///< free space, or what the quota leaves if that is less
    bool by_quota = false;
};

/// The space in an existing folder. Nothing if the file system does not report it; one in memory without a limit
/// reports 0 blocks in total. Quotas of the user and of the folder's group count if the kernel knows them (ext4, XFS
/// and others) or Lustre's `lfs quota` does. The free space already accounts for project quotas and NFS quotas if the
/// file system reports them.
std::optional<DiskRoom> disk_room(const std::filesystem::path& folder);

/// Bytes that a quota leaves; nothing if there is no limit (0). The soft limit counts, because files beyond it are
/// refused after some days. All arguments are in bytes.
std::optional<double> left_by_quota(double used, double soft_limit, double hard_limit);

/// Bytes that a quota leaves, from the output of `lfs quota -q`: file system, KiB used, soft limit, hard limit, and
/// more. Nothing if there is no limit.
std::optional<double> left_by_lustre(const std::string& printed);

}  // namespace crescendo::launch
