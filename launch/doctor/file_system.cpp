#include "launch/doctor/file_system.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <fstream>
#include <sstream>
#include <system_error>

#include "launch/doctor/disk_room.hpp"

namespace crescendo::launch {
namespace {

namespace fs = std::filesystem;
constexpr const char* about_files = "files";

bool lies_under(const std::string& path, const std::string& mount) {
    return path.starts_with(mount) &&
           (mount.ends_with('/') || path.size() == mount.size() || path[mount.size()] == '/');
}

/// The type of the file system that holds `directory`: "ext4", "lustre", "nfs4". Of mounts on the same path, the last
/// one counts.
std::string type_of(const fs::path& directory) {
    std::error_code none;
    const auto path = fs::canonical(directory, none).string();
    std::ifstream mounts("/proc/self/mountinfo");
    std::string type = "unknown type", deepest;
    for (std::string line; std::getline(mounts, line);) {
        std::istringstream words(line);
        std::string skipped, mount, candidate;
        words >> skipped >> skipped >> skipped >> skipped >> mount;
        while (words >> skipped && skipped != "-") {}
        words >> candidate;
        if (lies_under(path, mount) && mount.size() >= deepest.size()) {
            deepest = mount;
            type = candidate;
        }
    }
    return type;
}

Finding examine_room(const fs::path& directory) {
    struct statvfs status {};
    const auto room = disk_room(directory);
    if (!room || ::statvfs(directory.c_str(), &status) != 0) {
        return {Verdict::warning, about_files, "free space is unknown: the file system does not report it", ""};
    }
    const auto text = fmt::format("{} free on {} ({}{})", size_text(room->bytes), directory.string(),
                                  type_of(directory), room->by_quota ? ", by your quota" : "");
    if (room->bytes < 1024.0 * 1024 * 1024) {
        return {Verdict::warning, about_files, text + ": checkpoints may fill it, which would stop the sweep",
                "free some space, or use --dir to keep the sweep elsewhere"};
    }
    if (status.f_files > 0 && status.f_favail < 10'000) {
        return {Verdict::warning, about_files,
                fmt::format("{}, but room for only {} more files; a trial needs three", text,
                            static_cast<unsigned long>(status.f_favail)),
                "remove files, or use --dir to keep the sweep elsewhere"};
    }
    return {Verdict::ok, about_files, text, ""};
}

/// The consequence if locks do not work. A lock's content still says which process is at work, unless two start at
/// once.
constexpr const char* two_at_once = "two coordinators that start at the same moment may run the same sweep";

Finding examine_locks(const Probe& probe) {
    const FileDescriptor other(::open(probe.file().c_str(), O_RDWR | O_CLOEXEC));
    std::string problem;
    if (::flock(probe.descriptor().get(), LOCK_EX | LOCK_NB) != 0) {
        problem = fmt::format("flock does not work here ({})", std::strerror(errno));
    } else if (::flock(other.get(), LOCK_EX | LOCK_NB) == 0) {
        problem = "flock grants the same lock twice";
    } else {
        return {Verdict::ok, about_files, "flock works", ""};
    }
    return {Verdict::warning, about_files, fmt::format("{}: {}", problem, two_at_once),
            "mount the file system with locking (Lustre: -o flock), or use --dir on another"};
}

Finding examine_durability(const Probe& probe) {
    using Clock = std::chrono::steady_clock;
    const std::array<char, 4096> page{};
    auto best = Clock::duration::max();
    for (int round = 0; round < 5; ++round) {
        const auto start = Clock::now();
        if (::pwrite(probe.descriptor().get(), page.data(), page.size(), round * 4096) < 0 ||
            ::fsync(probe.descriptor().get()) != 0) {
            return {Verdict::problem, about_files,
                    fmt::format("fsync fails: {}; no result would be safe", std::strerror(errno)),
                    "free some space, or use --dir to keep the sweep elsewhere"};
        }
        best = std::min(best, Clock::now() - start);
    }
    const double milliseconds = std::chrono::duration<double, std::milli>(best).count();
    const auto text = fmt::format("fsync takes {:.3g} ms", milliseconds);
    if (milliseconds > 50) {
        return {Verdict::warning, about_files, text + ", and each batch of reports waits for one",
                "use --dir on a faster file system if trials report many times a second"};
    }
    return {Verdict::ok, about_files, text, ""};
}

Finding examine_renaming(const Probe& probe) {
    const auto other = probe.file().string() + ".new";
    std::ofstream(other) << "new";
    if (::rename(other.c_str(), probe.file().c_str()) != 0) {
        const int error = errno;
        ::unlink(other.c_str());
        return {Verdict::problem, about_files,
                fmt::format("a file cannot be renamed over another ({}), which checkpoints need", std::strerror(error)),
                "use --dir on another file system"};
    }
    return {Verdict::ok, about_files, "rename replaces a file", ""};
}

Finding examine_times(const Probe& probe) {
    const std::array<char, 1> byte{};
    for (int round = 0; round < 3; ++round) {
        struct stat status {};
        [[maybe_unused]] const auto written = ::pwrite(probe.descriptor().get(), byte.data(), 1, 0);
        if (::fstat(probe.descriptor().get(), &status) == 0 && status.st_mtim.tv_nsec != 0) {
            return {Verdict::ok, about_files, "file times are finer than a second", ""};
        }
    }
    return {Verdict::warning, about_files,
            "file times are in whole seconds, so a change to data during a read may go unnoticed",
            "do not change data sets while a sweep runs"};
}

}  // namespace

fs::path existing_part(fs::path directory) {
    directory = fs::absolute(directory).lexically_normal();
    std::error_code none;
    while (!fs::exists(directory, none) && directory.has_relative_path()) {
        directory = directory.parent_path();
    }
    return directory;
}

Findings examine_file_system(const fs::path& directory) {
    const auto place = existing_part(directory);
    try {
        const Probe probe(place);
        // Renaming comes last, because the probe's descriptor then no longer has its name.
        return {examine_room(place), examine_locks(probe), examine_durability(probe), examine_times(probe),
                examine_renaming(probe)};
    } catch (const std::system_error& error) {
        return {{Verdict::problem, about_files,
                 fmt::format("{} cannot be written: {}", place.string(), error.code().message()),
                 "use a folder that you may write to: crescendo doctor DIR, crescendo run --dir DIR"}};
    }
}

Probe::Probe(const fs::path& directory) {
    auto name = (existing_part(directory) / ".crescendo-doctor-XXXXXX").string();
    descriptor_ = FileDescriptor(::mkostemp(name.data(), O_CLOEXEC));
    if (!descriptor_) {
        throw std::system_error(errno, std::generic_category(), directory.string());
    }
    file_ = name;
    ::flock(descriptor_.get(), LOCK_EX | LOCK_NB);
}

Probe::~Probe() { ::unlink(file_.c_str()); }

Finding Probe::look_at(const fs::path& file) {
    const auto folder = file.parent_path().string();
    const FileDescriptor seen(::open(file.c_str(), O_RDWR | O_CLOEXEC));
    if (!seen) {
        return {Verdict::problem, about_files,
                fmt::format("{} is not the same folder here as on rank 0's node", folder),
                "use a folder on a shared file system"};
    }
    if (::flock(seen.get(), LOCK_EX | LOCK_NB) == 0) {
        return {Verdict::warning, about_files,
                fmt::format("a lock on {} does not reach other nodes: {}", folder, two_at_once),
                "mount it with cluster-wide locks (Lustre: -o flock, not localflock)"};
    }
    return {Verdict::ok, about_files, fmt::format("{} and its locks are shared by the nodes", folder), ""};
}

}  // namespace crescendo::launch
