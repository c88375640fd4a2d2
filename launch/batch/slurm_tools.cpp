#include "launch/batch/slurm_tools.hpp"

namespace crescendo::launch {

ToolResult run_slurm_tool(const std::vector<std::string>& command, const std::set<std::string, std::less<>>& hidden) {
    return run_tool(command, {.hides = [&](std::string_view variable) {
                        return (variable.starts_with("SLURM_") && !variable.starts_with("SLURM_CONF=")) ||
                               variable.starts_with("SQUEUE_") || variable.starts_with("SINFO_") ||
                               hidden.contains(variable.substr(0, variable.find('=')));
                    }});
}

std::optional<std::string> ask_squeue(const std::string& job, const std::string& format, const std::string& states) {
    std::vector<std::string> command{"squeue", "--noheader", "--jobs=" + job, "--format=" + format};
    if (!states.empty()) {
        command.push_back("--states=" + states);
    }
    const auto answer = run_slurm_tool(command);
    if (answer.success()) {
        return answer.output;
    }
    const bool forgotten = answer.errors.find("Invalid job id") != std::string::npos;
    return forgotten ? std::optional<std::string>("") : std::nullopt;
}

}  // namespace crescendo::launch
