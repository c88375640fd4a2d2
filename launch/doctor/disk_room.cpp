#include "launch/doctor/disk_room.hpp"

#include <fcntl.h>
#include <sys/quota.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <sstream>

#include "core/files/file_descriptor.hpp"
#include "launch/process/shell.hpp"

namespace crescendo::launch {
namespace {

constexpr double kib = 1024;

/// Bytes that the kernel's quota leaves. Nothing if there is no limit, if the kernel keeps no quotas, or if it is older
/// than 5.14.
std::optional<double> left_by_kernel([[maybe_unused]] int folder, [[maybe_unused]] int type,
                                     [[maybe_unused]] unsigned id) {
#ifdef SYS_quotactl_fd
    dqblk quota{};
    if (::syscall(SYS_quotactl_fd, folder, QCMD(Q_GETQUOTA, type), id, &quota) == 0) {
        return left_by_quota(static_cast<double>(quota.dqb_curspace), kib * static_cast<double>(quota.dqb_bsoftlimit),
                             kib * static_cast<double>(quota.dqb_bhardlimit));
    }
#endif
    return {};
}

std::optional<double> left_by_lfs(const std::filesystem::path& folder, const char* option, unsigned id) {
    const auto answer = run_tool({"lfs", "quota", "-q", option, std::to_string(id), folder.string()});
    return answer.success() ? left_by_lustre(answer.output) : std::nullopt;
}

}  // namespace

std::optional<double> left_by_quota(double used, double soft_limit, double hard_limit) {
    const double limit = soft_limit > 0 && hard_limit > 0 ? std::min(soft_limit, hard_limit)
                                                          : std::max(soft_limit, hard_limit);
    return limit > 0 ? std::optional(std::max(limit - used, 0.0)) : std::nullopt;
}

std::optional<double> left_by_lustre(const std::string& printed) {
    std::istringstream words(printed);
    std::string file_system, used;  // `used` ends with * if it exceeds a limit
    double soft = 0, hard = 0;
    if (!(words >> file_system >> used >> soft >> hard)) {
        return {};
    }
    return left_by_quota(kib * std::strtod(used.c_str(), nullptr), kib * soft, kib * hard);
}

std::optional<DiskRoom> disk_room(const std::filesystem::path& folder) {
    const FileDescriptor opened(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    struct statvfs space {};
    struct stat status {};
    if (!opened || ::fstatvfs(opened.get(), &space) != 0 || ::fstat(opened.get(), &status) != 0) {
        return {};
    }
    const double free = static_cast<double>(space.f_bavail) * static_cast<double>(space.f_frsize);
    DiskRoom room{space.f_blocks > 0 ? free : std::numeric_limits<double>::infinity()};
    const auto consider = [&room](std::optional<double> left) {
        if (left && *left < room.bytes) {
            room = {*left, /*by_quota=*/true};
        }
    };
    consider(left_by_kernel(opened.get(), USRQUOTA, ::geteuid()));
    consider(left_by_kernel(opened.get(), GRPQUOTA, status.st_gid));
    if (is_program("lfs")) {
        consider(left_by_lfs(folder, "-u", ::geteuid()));
        consider(left_by_lfs(folder, "-g", status.st_gid));
    }
    return std::isfinite(room.bytes) ? std::optional(room) : std::nullopt;
}

}  // namespace crescendo::launch
