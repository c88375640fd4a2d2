#pragma once

#include <string>
#include <vector>

namespace crescendo::launch {

/// `text` as one word for bash, whatever characters it has. Quoted only if necessary.
std::string shell_quoted(const std::string& text);

/// `text` as one argument of an #SBATCH line, which sbatch parses itself: with quotes and backslashes, without a shell.
/// Throws InvalidInput if it has a line feed, which would begin another line of the script.
std::string sbatch_quoted(const std::string& text);

struct ToolResult {
    int code = 0;        ///< exit status, or 128 + signal; 127 if there is no such program
    std::string output;  ///< stdout and stderr, without the last line feed

    bool success() const { return code == 0; }
};

/// Runs a tool to its end, and kills it after half a minute. `command` is searched in PATH. The tool does not see the
/// variables of our own Slurm job, so `command` must say which job it is about.
ToolResult run_tool(const std::vector<std::string>& command);

}  // namespace crescendo::launch
