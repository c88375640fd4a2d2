#pragma once

#include <cstdint>
#include <fstream>
#include <string>

namespace crescendo::tests {

/// The number of read system calls so far of this process, or of the one with the given id.
inline std::int64_t num_reads(const std::string& process = "self") {
    std::ifstream io("/proc/" + process + "/io");
    std::int64_t count = 0;
    for (std::string word; io >> word && word != "syscr:";) {}
    io >> count;
    return count;
}

}  // namespace crescendo::tests
