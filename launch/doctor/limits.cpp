#include "launch/doctor/examinations.hpp"

#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/statvfs.h>

#include "launch/process/open_files.hpp"

namespace crescendo::launch {
namespace {

constexpr const char* about_limits = "limits";

Finding examine_open_files(int num_slots) {
    const auto needed = open_files_of(static_cast<std::uint64_t>(num_slots));
    const auto most = most_open_files();  // the hard limit: an agent raises its limit to what it needs
    if (most < needed) {
        return {Verdict::problem, about_limits,
                fmt::format("{} open files are allowed, but {} slots need up to {}", most, num_slots, needed),
                fmt::format("ulimit -n {}", needed)};
    }
    return {Verdict::ok, about_limits,
            most == RLIM_INFINITY ? "any number of open files" : fmt::format("{} open files", most)};
}

Finding examine_locked_memory(bool has_gpus) {
    constexpr rlim_t enough = rlim_t{64} << 20;
    rlimit limit{};
    ::getrlimit(RLIMIT_MEMLOCK, &limit);
    if (limit.rlim_cur == RLIM_INFINITY) {
        return {Verdict::ok, about_limits, "any amount of locked memory"};
    }
    const auto text = fmt::format("{} of locked memory", size_text(static_cast<double>(limit.rlim_cur)));
    if (has_gpus && limit.rlim_cur < enough) {
        return {Verdict::warning, about_limits, text + ": NCCL over InfiniBand needs more",
                "ulimit -l unlimited; under Slurm, PropagateResourceLimitsExcept=MEMLOCK"};
    }
    return {Verdict::ok, about_limits, text};
}

Finding examine_shared_memory(int num_slots) {
    struct statvfs status {};
    if (::statvfs("/dev/shm", &status) != 0) {
        return {Verdict::warning, about_limits, "there is no /dev/shm, so MPI and NCCL use sockets within a node",
                "mount a tmpfs at /dev/shm"};
    }
    const double free = static_cast<double>(status.f_bavail) * static_cast<double>(status.f_frsize);
    const double needed = 32.0 * 1024 * 1024 * num_slots;
    const auto text = fmt::format("{} free in /dev/shm", size_text(free));
    if (free < needed) {
        return {Verdict::warning, about_limits,
                fmt::format("{}, but {} slots may need {}", text, num_slots, size_text(needed)),
                "remove files there; start a container with --shm-size or --ipc=host"};
    }
    return {Verdict::ok, about_limits, text};
}

}  // namespace

Findings examine_limits(int num_slots, bool has_gpus) {
    return {examine_open_files(num_slots), examine_locked_memory(has_gpus), examine_shared_memory(num_slots)};
}

}  // namespace crescendo::launch
