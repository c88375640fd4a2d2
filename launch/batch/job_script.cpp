#include "launch/batch/job_script.hpp"

#include <fmt/format.h>

#include <sstream>
#include <string_view>

#include "core/check.hpp"
#include "core/shell_words.hpp"
#include "launch/batch/job_time.hpp"

namespace crescendo::launch {
namespace {

constexpr std::string_view directory_line = "sweep=";
constexpr std::string_view program_line = "crescendo=";
constexpr std::string_view folder_line = "cd ";
constexpr std::string_view end_of_folder_line = " || exit 2";

/// The path between `begin` and `end` on one of the script's lines, if it has the form in which job_script() writes
/// paths.
std::optional<std::filesystem::path> path_in(const std::string& script, std::string_view begin, std::string_view end) {
    std::istringstream lines(script);
    for (std::string line; std::getline(lines, line);) {
        if (line.starts_with(begin) && line.ends_with(end)) {
            return shell_unquoted(line.substr(begin.size(), line.size() - begin.size() - end.size()));
        }
    }
    return {};
}

std::string settings(const JobRequest& request) {
    const auto& site = request.site;
    auto text = fmt::format("{}{}\n{}{}\nlead={}    # seconds at the end of the job, reserved to save running trials\n",
                            directory_line, shell_quoted(request.directory), program_line,
                            shell_quoted(request.crescendo), site.lead.count());
    text += fmt::format("{}{}{}\n", folder_line, shell_quoted(request.working_directory), end_of_folder_line);
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

/// The site's launcher. Open MPI's mpirun gets options to start one process on each of $nodes, whatever the batch
/// system.
std::string launcher(const JobRequest& request, const ScriptParts& parts) {
    const auto& words = request.site.launcher;
    if (std::filesystem::path(words.substr(0, words.find(' '))).filename() == "mpirun") {
        return words + " --host \"$nodes\" -np \"$count\" --map-by ppr:1:node --bind-to none";
    }
    return parts.launcher;
}

std::string launch_function(const JobRequest& request, const ScriptParts& parts) {
    auto options = request.site.interface.empty() ? "" : " --interface " + shell_quoted(request.site.interface);
    if (const auto& number = request.options.slots_per_gpu) {
        options += fmt::format(" --slots-per-gpu {}", *number);
    }
    return fmt::format(R"bash(
# One process on each node that the job still has.
launch() {{
    local nodes count
    nodes=$(patiently job_nodes) || return
    nodes=$(paste -sd, <<< "$nodes")
    count=$(tr , '\n' <<< "$nodes" | wc -l)
    {} \
        "$crescendo" resume "$sweep"{} ${{until:+--until "$until"}}
}}
)bash",
                       launcher(request, parts), options);
}

constexpr std::string_view body = R"bash(
# $sweep, quoted for a shell, for messages.
shown=$(printf %q "$sweep")
# A file in the sweep's directory asks it to save its trials and stop. A signal would reach the trainers too.
drain() { [ -e "$sweep/stop" ] || echo drain > "$sweep/stop"; }
backwards() { tac "$sweep/journal.jsonl" 2>/dev/null; }
all_gave_way() {
    backwards | grep -m1 -e '"note":"session"' -e '"event":"deadline_near"' | grep -q '"event":"deadline_near"'
}
num_reports() { backwards | grep -c '"event":"trial_reported"'; }
num_sessions() { backwards | grep -c '"note":"session"'; }
# Number of jobs, including this one, that started with the sweep's present number of reports. A job may have several
# sessions.
jobs_without_report() { grep -csx "$(num_reports)" "$sweep/reports_before_jobs"; }
stopped_by_user() { grep -qs '^stop' "$sweep/stop"; }
note_end() {
    end=$1
    until=${end:+$((end - lead))}
}
time_is_up() {
    local now
    now=$(job_end) && note_end "$now"    # the job's time may have been extended
    [ -n "$warned" ] || { [ -n "$until" ] && [ "$(date +%s)" -ge "$until" ]; } || all_gave_way || job_is_preempted
}

# Whether the lock names a rank 0 that started after $former, on this node, and that no longer holds it.
rank_0_died() {
    local holder
    read -r holder 2>/dev/null < "$sweep/lock" && [ "$holder" != "$former" ] &&
        [[ $holder == *" on $(uname -n) since "* ]] && flock -ns "$sweep/lock" true 2>/dev/null
}

warned=
trap 'warned=yes; drain' USR2    # the time is nearly up
trap drain TERM                  # cancelled, or preempted
stopped_by_user || rm -f "$sweep/stop"
num_reports >> "$sweep/reports_before_jobs"

# Repeats a command while it fails because of the batch system (status 2), which may be unavailable for a while: until
# the job's time is up, but for at least $lead seconds.
patiently() {
    local said= status last=$(($(date +%s) + lead))
    last=$((end > last ? end : last))
    while "$@"; status=$?; [ "$status" = 2 ] && [ "$(date +%s)" -lt "$last" ] && ! stopped_by_user; do
        [ -n "$said" ] ||
            echo "$1: the batch system does not answer, or refuses; trying again until $(date -d "@$last")" >&2
        said=yes
        sleep 5
    done
    [ "$status" != 2 ] || echo "giving up: \`crescendo submit $shown\` continues the sweep" >&2
    return "$status"
}

end=$(patiently job_end) || exit 1
note_end "$end"
export CRESCENDO_LEAD=$lead    # rank 0 also asks for the job's end before it stops

# The launcher's exit status mixes the statuses of all ranks, so rank 0 writes its own to a file.
export CRESCENDO_EXIT_STATUS=$sweep/exit
# Seconds after the death of rank 0 until the other ranks leave, so that all can be launched again. A parallel file
# system may hang for a minute, and rank 0 with it, because it waits until the journal is on the disk.
export CRESCENDO_HEARTBEAT_TIMEOUT=${CRESCENDO_HEARTBEAT_TIMEOUT:-70}

quick_ends=0
sessions=$(num_sessions)
while ! stopped_by_user; do
    rm -f "$CRESCENDO_EXIT_STATUS"
    began=$SECONDS
    read -r former 2>/dev/null < "$sweep/lock"
    launch & step=$!
    # Does not wait for a rank that hangs, or whose node hangs, after rank 0 has written its status, or has died and the
    # others have had time to notice. That rank ends with the job.
    last= looks=0
    while kill -0 "$step" 2>/dev/null && [ "$SECONDS" -lt "${last:-$((SECONDS + 1))}" ]; do
        sleep 1
        if [ -z "$last" ] && [ -e "$CRESCENDO_EXIT_STATUS" ]; then
            last=$((SECONDS + 20))
        elif [ -z "$last" ] && [ $((++looks % 30)) = 0 ] && rank_0_died; then
            last=$((SECONDS + 3 * CRESCENDO_HEARTBEAT_TIMEOUT))
        fi
    done
    status=$(cat "$CRESCENDO_EXIT_STATUS" 2>/dev/null)
    [ -n "$status" ] || ! [ -e "$CRESCENDO_EXIT_STATUS" ] || status=75    # rank 0 had a status, but the disk was full
    case $status in
        0 | 1 | 2) exit "$status" ;;
        75) break ;;
    esac
    # Rank 0 ended without a status: it was killed, or its node is gone.
    patiently job_is_running || exit 1
    time_is_up && break
    # Ranks that hang while MPI starts end after four times the timeout.
    quick_ends=$((SECONDS - began < 60 + 4 * CRESCENDO_HEARTBEAT_TIMEOUT ? quick_ends + 1 : 0))
    if [ "$quick_ends" -ge 3 ]; then
        echo "giving up: crescendo was lost three times, each time soon after its launch. Its output is above;"
        if [ "$(num_sessions)" = "$sessions" ]; then
            echo "it never reached the sweep, so the launcher may not suit its MPI (docs/slurm.md, 'The launcher')."
            echo "Set another launcher in the site profile: crescendo submit $shown --site PROFILE"
        else
            echo "the trainers' output is in $sweep/trainers.log and $sweep/trials/*/trainer.log."
        fi
        exit 1
    fi
    echo "crescendo was lost: launching it again on the remaining nodes"
    sleep 1
done

# All trials are saved, and the sweep is not over. Another job follows only a time limit or a preemption.
queue_again() {
    local status
    requeue_job; status=$?
    # `submit` exits with 2 if it queued no job, so it is tried again. After 1, there may be a job.
    [ "$status" != 1 ] || { "$crescendo" submit "$sweep"; status=$?; }
    return "$status"
}
if time_is_up && ! stopped_by_user && patiently job_is_running; then
    if [ "$(jobs_without_report)" -ge 3 ]; then
        echo "giving up: in three consecutive jobs, no trial reported before the time limit."
        echo "Ask for more time: crescendo submit $shown --time ..."
        exit 1
    fi
    echo "the time of job $job_id is up: the sweep continues in another job"
    patiently queue_again
fi
exit 75
)bash";

}  // namespace

std::string job_script(const JobRequest& request, const BatchSystem& system) {
    const auto& time = request.options.time;
    CRESCENDO_VALIDATE(!time || *time > 2 * request.site.lead, "time",
                       "the job's time is {}, of which the last {} s are reserved to save running trials (`lead` in "
                       "the site profile); ask for more than {}",
                       job_time_text(*time), request.site.lead.count(), job_time_text(2 * request.site.lead));
    const auto parts = system.script_parts(request);
    return fmt::format(
        "#!/bin/bash{}\n# Written by `crescendo submit`. You can edit it: `crescendo submit {}` submits it again as it "
        "is.\n{}\n{}{}{}{}",
        request.site.modules.empty() ? "" : " -l", shell_quoted(request.directory), parts.directives, settings(request),
        parts.functions, launch_function(request, parts), body);
}

JobPlaces places_in(const std::string& job_script) {
    return {path_in(job_script, directory_line, ""), path_in(job_script, program_line, ""),
            path_in(job_script, folder_line, end_of_folder_line)};
}

}  // namespace crescendo::launch
