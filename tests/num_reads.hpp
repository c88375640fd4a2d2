#pragma once

#include <cstdint>
#include <fstream>
#include <string>

namespace crescendo::tests {

/// System calls by which a process has read so far: this one, or the one with that id.
inline std::int64_t num_reads(const std::string& process = "self") {
    std::ifstream io("/proc/" + process + "/io");
    std::int64_t count = 0;
    for (std::string word; io >> word && word != "syscr:";) {}
    io >> count;
    return count;
}

}  // namespace crescendo::tests
