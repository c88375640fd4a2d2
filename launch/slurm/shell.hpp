#pragma once

#include <string>
#include <vector>

namespace crescendo::launch {

/// `text` as one word for bash, whatever it holds; in quotes only where it needs them.
std::string shell_quoted(const std::string& text);

/// `text` as one argument of an #SBATCH line, which sbatch reads itself: quotes and backslashes, no shell.
/// Throws InvalidInput where it holds a line feed, which would begin another line of the script.
std::string sbatch_quoted(const std::string& text);

struct ToolResult {
    int code = 0;        ///< exit status, 128 + signal; 127 where there is no such program
    std::string output;  ///< stdout and stderr, without the last line feed

    bool success() const { return code == 0; }
};

/// Runs a tool to its end, for at most half a minute: then it is killed. `command` is found along PATH. Of our Slurm
/// job, if we are in one, it sees nothing: what it is asked about is said in `command`.
ToolResult run_tool(const std::vector<std::string>& command);

}  // namespace crescendo::launch
