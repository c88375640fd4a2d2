#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace crescendo::launch {

/// Whether `path` is a file that may be executed.
bool is_executable(const std::filesystem::path& path);

/// Whether there is such a program: a path, or a name that is searched in PATH.
bool is_program(const std::string& name);

enum class ToolErrors { collected, shown };

struct ToolOptions {
    std::function<bool(std::string_view variable)> hides = {};  ///< chooses variables of ours that it does not see
    std::string input = {};                                     ///< what it reads from its standard input
    std::chrono::seconds patience{30};                          ///< after this time it is killed
    ToolErrors errors = ToolErrors::collected;  ///< whether its stderr is in the result, or goes to our own
};

struct ToolResult {
    int code = 0;          ///< exit status, or 128 + signal; 127 if there is no such program
    std::string output{};  ///< its standard output, without the last line feeds
    std::string errors{};  ///< its standard error, likewise; then why it was killed, or could not begin
    bool is_late = false;  ///< whether it was killed because it took longer than the patience for it

    bool success() const { return code == 0; }

    /// All that it printed, to say why it failed. Warnings may be anywhere in it: results are in `output`.
    std::string words() const { return output + (output.empty() || errors.empty() ? "" : "\n") + errors; }
};

/// Runs a tool to its end. `command` is searched in PATH.
ToolResult run_tool(const std::vector<std::string>& command, const ToolOptions& options = {});

}  // namespace crescendo::launch
