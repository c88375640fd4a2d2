#pragma once

#include <doctest/doctest.h>

#include <chrono>
#include <fstream>
#include <string>
#include <thread>

namespace crescendo::tests {

/// Waits until `done()`. After some minutes, the test fails with a message that names what did not happen.
template <class Predicate>
void await(const std::string& what, Predicate done) {
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::minutes(4);  // enough on a busy machine
    while (!done()) {
        if (std::chrono::steady_clock::now() > deadline) {
            FAIL("waited in vain: " << what);
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
}

/// Whether a process exists and is not a zombie.
inline bool is_alive(long pid) {
    std::ifstream stat("/proc/" + std::to_string(pid) + "/stat");
    std::string text;
    std::getline(stat, text);  // fails silently if the process exits meanwhile
    return !text.empty() && text.find(") Z") == std::string::npos;
}

/// The number in a file, or 0.
inline long number_in(const std::string& path) {
    long number = 0;
    std::ifstream(path) >> number;
    return number;
}

}  // namespace crescendo::tests
