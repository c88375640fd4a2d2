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
    std::vector<std::string> settings = {};  ///< KEY=VALUE in place of what the sweep file has
    std::optional<std::int64_t> run_cap = {};
    bool retry_failed = false;
    SessionOptions session = {};
};

/// Continues a sweep, and prints its end. Throws InvalidInput where something is asked for that leaves nothing to do.
ExitCode resume_sweep(const ResumeOptions& options, MpiSession* session);

}  // namespace crescendo::launch
