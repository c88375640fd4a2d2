#include "launch/slurm/job_script.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "core/check.hpp"
#include "launch/slurm/shell.hpp"

namespace crescendo::launch {
namespace {

/// Options that the script counts on being as it sets them.
constexpr std::array reserved{
    "--array",  "-a",        "--chdir",  "-D",       "--error", "-e",          "--nodes",
    "-N",       "--no-kill", "-k",       "--ntasks", "-n",      "--open-mode", "--ntasks-per-node",
    "--output", "-o",        "--signal", "--wrap"};

/// An option as one line of the script: "--name=value" and "--name value" mean the same.
std::string directive(const std::string& option) {
    CRESCENDO_VALIDATE(option.starts_with("-"), "sbatch",
                       "'{}' is no option of sbatch, which begin with '-'; write it like --constraint=a100", option);
    const auto end = option.find_first_of("= ");
    const auto name = option.substr(0, end);
    CRESCENDO_VALIDATE(std::find(reserved.begin(), reserved.end(), name) == reserved.end(), "sbatch",
                       "{} is set by the job script itself, which counts on it; leave it out (there are --nodes, "
                       "--gpus-per-node and --cpus-per-task)",
                       name);
    if (end == std::string::npos || option[end] == '=') {
        return "#SBATCH " + sbatch_quoted(option) + "\n";
    }
    const auto value = option.find_first_not_of(' ', end);
    return fmt::format("#SBATCH {} {}\n", sbatch_quoted(name),
                       sbatch_quoted(value == std::string::npos ? "" : option.substr(value)));
}

/// As sbatch writes it: hours may be more than 24.
std::string clock(std::chrono::seconds time) {
    const auto s = time.count();
    return fmt::format("{:02}:{:02}:{:02}", s / 3600, s / 60 % 60, s % 60);
}

std::string directives(const JobRequest& request) {
    const auto& options = request.options;
    std::string text = directive("--job-name=" + request.name);
    // What directive() refuses from others.
    text += fmt::format("#SBATCH --nodes={}\n#SBATCH --ntasks-per-node=1\n", options.nodes.value_or(1));
    const auto add = [&](const char* name, const auto& value) {
        if (value) {
            text += directive(fmt::format("--{}={}", name, *value));
        }
    };
    add("time", options.time ? std::optional(clock(*options.time)) : std::nullopt);
    add("partition", options.partition);
    add("account", options.account);
    add("gpus-per-node", options.gpus_per_node);
    add("cpus-per-task", options.cpus_per_task);
    text += fmt::format("#SBATCH {}\n", sbatch_quoted("--output=" + request.log.string()));
    text +=
        fmt::format("#SBATCH --open-mode=append\n#SBATCH --requeue\n#SBATCH --no-kill\n#SBATCH --signal=B:USR2@{}\n",
                    request.site.lead.count());
    for (const auto& option : options.sbatch) {
        text += directive(option);
    }
    return text;
}

std::string settings(const JobRequest& request) {
    const auto& site = request.site;
    auto text = fmt::format(
        "sweep={}\ncrescendo={}\nlead={}    # seconds before the end of the job, to save what runs\n",
        shell_quoted(request.directory.string()), shell_quoted(request.crescendo.string()), site.lead.count());
    text += fmt::format("cd {} || exit 2\n", shell_quoted(request.working_directory.string()));
    for (const auto& module : site.modules) {
        text += fmt::format("module load {}\n", shell_quoted(module));
    }
    for (const auto& line : site.setup) {
        text += line + "\n";
    }
    for (const auto& [name, value] : site.environment) {
        text += fmt::format("export {}={}\n", name, shell_quoted(value));
    }
    return text;
}

/// The launcher with what makes it start one process on each of $nodes; what is neither srun nor mpirun says so itself.
std::string launcher(const JobRequest& request) {
    const auto& words = request.site.launcher;
    const auto program = std::filesystem::path(words.substr(0, words.find(' '))).filename();
    if (program == "mpirun") {
        return words + " --host \"$nodes\" -np \"$count\" --map-by ppr:1:node --bind-to none";
    }
    if (program != "srun") {
        return words;
    }
    auto result = words +
                  " --overlap --no-kill --kill-on-bad-exit=0 --cpu-bind=none \\\n"
                  "        --nodelist=\"$nodes\" --nodes=\"$count\" --ntasks=\"$count\" --ntasks-per-node=1";
    if (request.options.cpus_per_task) {
        result += fmt::format(" --cpus-per-task={}", *request.options.cpus_per_task);
    }
    if (request.options.gpus_per_node) {
        result += fmt::format(" --gpus-per-node={}", *request.options.gpus_per_node);
    }
    return result;
}

std::string launch_function(const JobRequest& request) {
    const auto interface = request.site.interface.empty() ? "" : " --interface " + shell_quoted(request.site.interface);
    return fmt::format(R"bash(
# One process on each node that the job still has.
launch() {{
    local nodes count
    nodes=$(scontrol show hostnames "$(squeue -h -j "$SLURM_JOB_ID" -o %N)" | paste -sd,)
    count=$(tr , '\n' <<< "$nodes" | wc -l)
    {} \
        "$crescendo" resume "$sweep"{} ${{until:+--until "$until"}}
}}
)bash",
                       launcher(request), interface);
}

constexpr std::string_view course = R"bash(
# Slurm says when the job ends; newer ones in the environment.
end=${SLURM_JOB_END_TIME:-$(date -d "$(squeue -h -j "$SLURM_JOB_ID" -o %e)" +%s 2>/dev/null)}
until=${end:+$((end - lead))}

# A file in the sweep's directory asks it to save what runs and stop: a signal would hit the trainers too.
drain() { [ -e "$sweep/stop" ] || echo drain > "$sweep/stop"; }
backwards() { tac "$sweep/journal.jsonl" 2>/dev/null; }
all_gave_way() { backwards | grep -m1 -e '"session"' -e '"deadline_near"' | grep -q deadline_near; }
sessions_without_report() { backwards | sed '/"trial_reported"/q' | grep -c '"note":"session"'; }
is_running() { [ "$(squeue -h -j "$SLURM_JOB_ID" -o %T)" = RUNNING ]; }    # not cancelled
stopped_by_user() { grep -qs '^stop' "$sweep/stop"; }
time_is_up() {
    [ -n "$warned" ] || { [ -n "$until" ] && [ "$(date +%s)" -ge "$until" ]; } || all_gave_way ||
        scontrol show job "$SLURM_JOB_ID" | grep -q 'PreemptTime=[0-9]'
}

warned=
trap 'warned=yes; drain' USR2    # the time is nearly up
trap drain TERM                  # cancelled, or preempted
stopped_by_user || rm -f "$sweep/stop"

# The launcher's exit status mixes those of all ranks; rank 0 writes its own to a file.
export CRESCENDO_EXIT_STATUS=$sweep/exit
# Seconds after the death of rank 0 until the others leave, and all can be launched anew.
export CRESCENDO_HEARTBEAT_TIMEOUT=${CRESCENDO_HEARTBEAT_TIMEOUT:-10}

quick_ends=0
while ! stopped_by_user; do
    rm -f "$CRESCENDO_EXIT_STATUS"
    began=$SECONDS
    launch & step=$!
    while kill -0 "$step" 2>/dev/null; do wait "$step"; done    # a signal ends a wait
    status=$(cat "$CRESCENDO_EXIT_STATUS" 2>/dev/null)
    case $status in
        0 | 1 | 2) exit "$status" ;;
        75) break ;;
    esac
    # Rank 0 ended without a word: killed, or its node is gone.
    is_running || exit 1
    time_is_up && break
    quick_ends=$((SECONDS - began < 60 ? quick_ends + 1 : 0))
    if [ "$quick_ends" -ge 3 ]; then
        echo "crescendo was lost three times, each within a minute: giving up. What it printed is above;"
        echo "what the trainers said is in $sweep/trainers.log and $sweep/trials/*/trainer.log."
        exit 1
    fi
    echo "crescendo is lost: launching it again on the nodes that remain"
    sleep 1
done

# All is saved, and there is more to do. Another job follows on a time limit and on preemption, and on nothing else.
if time_is_up && ! stopped_by_user && is_running; then
    if [ "$(sessions_without_report)" -ge 3 ]; then
        echo "three times in a row no trial came as far as a report before the job's time was up: giving up."
        echo "Give it more: crescendo submit $sweep --time ..."
        exit 1
    fi
    echo "the time of job $SLURM_JOB_ID is up: the sweep goes on in another"
    scontrol requeue "$SLURM_JOB_ID" || "$crescendo" submit "$sweep"
fi
exit 75
)bash";

}  // namespace

std::string job_script(const JobRequest& request) {
    CRESCENDO_VALIDATE(request.directory.string().find_first_of("%\n\r") == std::string::npos, "",
                       "{}: Slurm gives '%' in the path of a job's log a meaning of its own, and a line feed ends its "
                       "line; choose another folder with --dir",
                       request.directory.string());
    const auto& time = request.options.time;
    CRESCENDO_VALIDATE(!time || *time > 2 * request.site.lead, "time",
                       "is {}, of which the last {} s are kept to save what runs (the site profile's `lead`); ask for "
                       "more than {}",
                       clock(*time), request.site.lead.count(), clock(2 * request.site.lead));
    return fmt::format(
        "#!/bin/bash{}\n"
        "# Written by `crescendo submit`. It may be edited: `crescendo submit {}` submits it again as it "
        "stands.\n{}\n{}{}"
        "{}",
        request.site.modules.empty() ? "" : " -l", shell_quoted(request.directory.string()), directives(request),
        settings(request), launch_function(request), course);
}

}  // namespace crescendo::launch
