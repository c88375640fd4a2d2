#pragma once

#include <doctest/doctest.h>

#include <cstddef>
#include <fstream>
#include <string>

namespace crescendo::tests {

/// Bytes that this process has read by system calls so far, from the page cache or from disk.
inline std::size_t bytes_read_so_far() {
    std::ifstream counters("/proc/self/io");
    std::string name;
    std::size_t bytes = 0;
    counters >> name >> bytes;
    REQUIRE(name == "rchar:");
    return bytes;
}

}  // namespace crescendo::tests
