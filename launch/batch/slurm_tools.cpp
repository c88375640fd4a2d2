#include "launch/batch/slurm_tools.hpp"

#include <cstdlib>

namespace crescendo::launch {

std::string number_of(const std::string& job) { return job.substr(0, job.find(';')); }

std::string cluster_of(const std::string& job) {
    const auto end = job.find(';');
    return end == std::string::npos ? "" : job.substr(end + 1);
}

std::vector<std::string> about(std::vector<std::string> command, const std::string& job) {
    if (const auto cluster = cluster_of(job); !cluster.empty()) {
        command.insert(command.begin() + 1, "--clusters=" + cluster);
    }
    return command;
}

ToolResult run_slurm_tool(const std::vector<std::string>& command, const std::set<std::string, std::less<>>& hidden,
                          std::chrono::seconds patience) {
    const bool is_in_job = std::getenv("SLURM_JOB_ID") != nullptr;
    const auto is_kept = [&](std::string_view variable) {
        return variable == "SLURM_CONF" || (!is_in_job && variable == "SLURM_CLUSTERS");
    };
    const auto hides = [&](std::string_view variable) {
        return (variable.starts_with("SLURM_") && !is_kept(variable)) || variable.starts_with("SQUEUE_") ||
               variable.starts_with("SINFO_") || hidden.contains(variable);
    };
    return run_tool(command, {.hides = hides, .patience = patience});
}

std::optional<std::string> ask_squeue(const std::string& job, const std::string& format, const std::string& states,
                                      std::chrono::seconds patience) {
    std::vector<std::string> command{"squeue", "--noheader", "--jobs=" + number_of(job), "--format=" + format};
    if (!states.empty()) {
        command.push_back("--states=" + states);
    }
    const auto answer = run_slurm_tool(about(command, job), {}, patience);
    if (answer.success() && answer.output.starts_with("CLUSTER:")) {  // some versions print this even with --noheader
        const auto end = answer.output.find('\n');
        return end == std::string::npos ? "" : answer.output.substr(end + 1);
    }
    if (answer.success()) {
        return answer.output;
    }
    const bool forgotten = answer.errors.find("Invalid job id") != std::string::npos;
    return forgotten ? std::optional<std::string>("") : std::nullopt;
}

}  // namespace crescendo::launch
