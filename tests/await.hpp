#pragma once

#include <doctest/doctest.h>

#include <chrono>
#include <fstream>
#include <string>
#include <thread>

namespace crescendo::tests {

/// Waits until `done()`; a watchdog that names what did not happen ends the test.
template <class Predicate>
void await(const std::string& what, Predicate done) {
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::minutes(4);  // of a busy machine
    while (!done()) {
        if (std::chrono::steady_clock::now() > deadline) {
            FAIL("waited in vain: " << what);
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
}

/// Whether a process is there and not merely waiting to be reaped.
inline bool is_alive(long pid) {
    std::ifstream stat("/proc/" + std::to_string(pid) + "/stat");
    std::string text;
    std::getline(stat, text);  // which fails quietly if the process goes meanwhile
    return !text.empty() && text.find(") Z") == std::string::npos;
}

/// The number in a file, or 0.
inline long number_in(const std::string& path) {
    long number = 0;
    std::ifstream(path) >> number;
    return number;
}

}  // namespace crescendo::tests
