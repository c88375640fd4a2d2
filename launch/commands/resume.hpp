#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "launch/commands/sweep_session.hpp"

namespace crescendo::launch {

/// How a sweep continues.
struct ResumeOptions {
    std::filesystem::path directory;
    std::vector<int> trials = {};            ///< only these paused trials; empty: the sweep
    std::vector<std::string> settings = {};  ///< KEY=VALUE, each replacing a value of the sweep file
    std::optional<std::int64_t> run_cap = {};
    bool retry_failed = false;
    SessionOptions session = {};
};

/// Continues a sweep, and prints how it ended. Throws InvalidInput if the options leave nothing to do.
ExitCode resume_sweep(const ResumeOptions& options, MpiSession* session);

}  // namespace crescendo::launch
