#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace crescendo::launch {

/// `text` as one word for bash, whatever characters it has. Quoted only if necessary.
std::string shell_quoted(const std::string& text);

/// Whether `text` means itself to a shell, without quotes.
bool is_plain_word(const std::string& text);

/// Whether `path` is a file that may be executed.
bool is_executable(const std::filesystem::path& path);

/// Whether there is such a program: a path, or a name that is searched in PATH.
bool is_program(const std::string& name);

struct ToolResult {
    int code = 0;        ///< exit status, or 128 + signal; 127 if there is no such program
    std::string output;  ///< stdout and stderr, without the last line feed

    bool success() const { return code == 0; }
};

/// Runs a tool to its end, and kills it after half a minute. `command` is searched in PATH. The tool does not see the
/// variables of our environment that `hides` chooses; each is given as NAME=VALUE.
ToolResult run_tool(const std::vector<std::string>& command,
                    const std::function<bool(std::string_view variable)>& hides = {});

}  // namespace crescendo::launch
