#pragma once

#include <sys/resource.h>

namespace crescendo::benchmarks {

/// CPU time that this process has used, or with RUSAGE_THREAD the calling thread.
inline double cpu_seconds(int whose = RUSAGE_SELF) {
    rusage usage{};
    ::getrusage(whose, &usage);
    const auto seconds = [](timeval time) {
        return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
    };
    return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

}  // namespace crescendo::benchmarks
