#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace crescendo::launch {

/// Whether `path` is an executable file.
bool is_executable(const std::filesystem::path& path);

/// Whether this program exists: `name` is a path, or a name that is searched in PATH.
bool is_program(const std::string& name);

enum class ToolErrors { collected, shown };

struct ToolOptions {
    std::function<bool(std::string_view variable)> hides = {};  ///< selects our variables that it must not see
    std::string input = {};                                     ///< text for its standard input
    std::chrono::seconds patience{30};                          ///< time after which it is killed
    ToolErrors errors = ToolErrors::collected;  ///< whether its stderr is in the result, or goes to ours
};

struct ToolResult {
    int code = 0;          ///< exit status, or 128 + signal; 127 if there is no such program
    std::string output{};  ///< its standard output, without trailing line feeds
    std::string errors{};  ///< its stderr, likewise; then why it was killed or could not start
    bool is_late = false;  ///< whether it was killed because `patience` was over

    bool success() const { return code == 0; }

    /// All its output, to say why it failed. It may contain warnings anywhere; for results, use `output`.
    std::string words() const { return output + (output.empty() || errors.empty() ? "" : "\n") + errors; }
};

/// Runs a tool to its end. The program is searched in PATH.
ToolResult run_tool(const std::vector<std::string>& command, const ToolOptions& options = {});

}  // namespace crescendo::launch
