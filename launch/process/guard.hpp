#pragma once

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

namespace crescendo::launch {

/// The command that runs a program under crescendo-guard, whose path is `guard`. On SIGTERM the guard passes the signal
/// on, and after `grace` kills what is left; on SIGQUIT it kills at once.
inline std::vector<std::string> guarded(const std::string& guard, std::chrono::milliseconds grace,
                                        const std::vector<std::string>& command) {
    std::vector<std::string> result{guard, std::to_string(grace.count())};
    result.insert(result.end(), command.begin(), command.end());
    return result;
}

/// The line, up to the errno of fork(), that a guard sends instead of starting its program.
inline constexpr std::string_view no_process = "no process: ";

/// Time for a guard to find and kill all processes that a program started. A guard that takes longer is stuck itself.
inline constexpr std::chrono::seconds time_of_the_guard{10};

}  // namespace crescendo::launch
