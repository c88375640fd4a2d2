#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "core/check.hpp"
#include "core/shell_words.hpp"
#include "launch/batch/job_time.hpp"
#include "launch/batch/slurm.hpp"
#include "launch/batch/slurm_tools.hpp"

namespace crescendo::launch {
namespace {

/// Options that the script itself must set, and options with which sbatch answers too late or not at all.
constexpr std::array<std::string_view, 21> reserved{
    "--array",           "-a",       "--chdir",  "-D",     "--error",  "-e",     "--nodes",     "-N",
    "--no-kill",         "-k",       "--ntasks", "-n",     "--signal", "--wrap", "--open-mode", "--test-only",
    "--ntasks-per-node", "--output", "-o",       "--wait", "-W"};

/// `text` as one argument of an #SBATCH line. sbatch parses such lines itself, with quotes and backslashes but without
/// a shell.
std::string sbatch_quoted(const std::string& text) {
    CRESCENDO_VALIDATE(text.find_first_of("\n\r") == std::string::npos, "",
                       "'{}' contains a line feed, but an option of sbatch is one line; remove it", text);
    if (is_plain_word(text)) {
        return text;
    }
    std::string result = "\"";
    for (const char c : text) {
        result += c == '"' || c == '\\' ? std::string{'\\', c} : std::string(1, c);
    }
    return result + "\"";
}

/// Whether sbatch takes `word` for this option. It accepts abbreviations of long options, and values directly after
/// short ones.
bool is_named(std::string_view word, std::string_view option) {
    return option.starts_with("--") ? option.starts_with(word) : word.starts_with(option);
}

/// One line of the script for an option. "--name=value" and "--name value" mean the same.
std::string directive(const std::string& option) {
    CRESCENDO_VALIDATE(option.starts_with("-"), "sbatch",
                       "'{}' is not an option of sbatch (options begin with '-'); write it like --constraint=a100",
                       option);
    const auto end = option.find_first_of("= ");
    const auto name = option.substr(0, end);
    const auto same = std::find_if(reserved.begin(), reserved.end(), [&](auto each) { return is_named(name, each); });
    CRESCENDO_VALIDATE(same == reserved.end(), "sbatch",
                       "the job script sets {} itself, or cannot work with it; leave it out (use --nodes, "
                       "--gpus-per-node or --cpus-per-task; --dry-run shows the script)",
                       *same);
    if (end == std::string::npos || option[end] == '=') {
        return "#SBATCH " + sbatch_quoted(option) + "\n";
    }
    const auto value = option.find_first_not_of(' ', end);
    return fmt::format("#SBATCH {} {}\n", sbatch_quoted(name),
                       sbatch_quoted(value == std::string::npos ? "" : option.substr(value)));
}

std::string directives(const JobRequest& request) {
    CRESCENDO_VALIDATE(request.directory.string().find_first_of("%\\\n\r") == std::string::npos, "",
                       "{}: the path of a job's log cannot contain '%' or '\\', which Slurm replaces, or a line feed; "
                       "choose another folder with --dir",
                       request.directory.string());
    const auto& options = request.options;
    std::string text = directive("--job-name=" + request.name);
    // Options that directive() refuses in user input.
    text += fmt::format("#SBATCH --nodes={}\n#SBATCH --ntasks-per-node=1\n", options.nodes.value_or(1));
    const auto add = [&](const char* name, const auto& value) {
        if (value) {
            text += directive(fmt::format("--{}={}", name, *value));
        }
    };
    add("time", options.time ? std::optional(job_time_text(*options.time)) : std::nullopt);
    add("partition", options.partition);
    add("account", options.account);
    add("gpus-per-node", options.gpus_per_node);
    add("cpus-per-task", options.cpus_per_task);
    text += fmt::format("#SBATCH {}\n", sbatch_quoted("--output=" + request.log.string()));
    text +=
        fmt::format("#SBATCH --open-mode=append\n#SBATCH --requeue\n#SBATCH --no-kill\n#SBATCH --signal=B:USR2@{}\n",
                    request.site.lead.count());
    for (const auto& option : options.more) {
        text += directive(option);
    }
    return text;
}

/// The site's launcher. srun gets options that start one process on each of $nodes, and that keep the others alive when
/// one of them ends: --kill-on-bad-exit=0 at once, and --wait=0 for any time, whatever WaitTime says.
std::string launcher(const JobRequest& request) {
    const auto& words = request.site.launcher;
    if (std::filesystem::path(words.substr(0, words.find(' '))).filename() != "srun") {
        return words;
    }
    auto result = words +
                  " --overlap --no-kill --kill-on-bad-exit=0 --wait=0 --cpu-bind=none \\\n"
                  "        --nodelist=\"$nodes\" --nodes=\"$count\" --ntasks=\"$count\" --ntasks-per-node=1";
    if (request.options.cpus_per_task) {
        result += fmt::format(" --cpus-per-task={}", *request.options.cpus_per_task);
    }
    if (request.options.gpus_per_node) {
        result += fmt::format(" --gpus-per-node={}", *request.options.gpus_per_node);
    }
    return result;
}

constexpr std::string_view functions = R"bash(
# What Slurm reports about the job.
job_id=$SLURM_JOB_ID
# Your own SQUEUE_STATES, for example, could hide the job, and another time format its end.
unset ${!SQUEUE_@}
export SLURM_TIME_FORMAT=standard
# Without it, these commands ask the job's own cluster.
unset SLURM_CLUSTERS
job_nodes() {
    local nodes
    nodes=$(squeue -h -j "$job_id" -o %N) && [ -n "$nodes" ] || return 2
    scontrol show hostnames "$nodes"
}
job_end() {
    local end
    end=$(TZ=UTC0 squeue -h -j "$job_id" -o %e) || return 2
    TZ=UTC0 date -d "${end:-none}" +%s 2>/dev/null || true
}
job_is_running() {    # not cancelled
    local state
    state=$(squeue -h -j "$job_id" -o %T) || return 2
    [ "$state" = RUNNING ]
}
job_is_preempted() { scontrol show job "$job_id" | grep -q 'PreemptTime=[0-9]'; }
requeue_job() {
    local words
    words=$(scontrol requeue "$job_id" 2>&1) && return
    echo "$words" >&2
    [[ $words =~ $requeue_refusals ]] && return 1
    return 2
}
# With --export=NONE, srun would not pass on this script's environment.
export SLURM_EXPORT_ENV=ALL
# Set by --gpus, which is a total: srun would ask for the same total on the remaining nodes.
unset SLURM_GPUS
)bash";

}  // namespace

ScriptParts Slurm::script_parts(const JobRequest& request) const {
    return {directives(request), launcher(request),
            fmt::format("\nrequeue_refusals='{}'{}", fmt::join(requeue_refusals, "|"), functions)};
}

}  // namespace crescendo::launch
