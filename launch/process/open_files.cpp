#include "launch/process/open_files.hpp"

#include <sys/resource.h>

#include <algorithm>

namespace crescendo::launch {
namespace {

static_assert(RLIM_INFINITY == static_cast<rlim_t>(-1), "so that no limit is the largest one");

rlimit limit_now() {
    rlimit limit{};
    ::getrlimit(RLIMIT_NOFILE, &limit);
    return limit;
}

}  // namespace

std::uint64_t most_open_files() { return limit_now().rlim_max; }

std::uint64_t allow_open_files(std::uint64_t wanted) {
    auto limit = limit_now();
    if (limit.rlim_cur < wanted) {
        limit.rlim_cur = std::min<rlim_t>(wanted, limit.rlim_max);
        ::setrlimit(RLIMIT_NOFILE, &limit);
    }
    return limit_now().rlim_cur;
}

}  // namespace crescendo::launch
