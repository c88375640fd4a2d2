#pragma once

#include <cstdint>
#include <fstream>
#include <string>

namespace crescendo::tests {

/// System calls by which this process has read so far.
inline std::int64_t num_reads() {
    std::ifstream io("/proc/self/io");
    std::int64_t count = 0;
    for (std::string word; io >> word && word != "syscr:";) {}
    io >> count;
    return count;
}

}  // namespace crescendo::tests
