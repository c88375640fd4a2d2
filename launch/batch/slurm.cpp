#include "launch/batch/slurm.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>
#include <numeric>
#include <sstream>

#include "core/check.hpp"
#include "core/shell_words.hpp"
#include "launch/batch/job_time.hpp"
#include "launch/batch/slurm_rescue.hpp"
#include "launch/batch/slurm_tools.hpp"
#include "launch/batch/slurm_variables.hpp"

namespace crescendo::launch {
namespace {

/// The state for a word of squeue; nothing if it is none of Slurm's, such as one of a site's hints.
std::optional<JobState> state_named(std::string_view word) {
    constexpr std::array gone{"BOOT_FAIL", "CANCELLED",     "COMPLETED", "DEADLINE", "FAILED",
                              "NODE_FAIL", "OUT_OF_MEMORY", "PREEMPTED", "REVOKED",  "TIMEOUT"};
    constexpr std::array queued{"PENDING", "REQUEUED", "REQUEUE_HOLD", "REQUEUE_FED", "SPECIAL_EXIT", "RESV_DEL_HOLD"};
    constexpr std::array running{"RUNNING",   "CONFIGURING", "COMPLETING", "STAGE_OUT",
                                 "SIGNALING", "STOPPED",     "SUSPENDED",  "RESIZING"};
    return std::ranges::find(gone, word) != gone.end()         ? std::optional(JobState::gone)
           : std::ranges::find(queued, word) != queued.end()   ? std::optional(JobState::queued)
           : std::ranges::find(running, word) != running.end() ? std::optional(JobState::running)
                                                               : std::nullopt;
}

/// Whether the line is what `sbatch --parsable` prints: a number, and the cluster if one was chosen.
bool is_job_id(std::string_view line) {
    const auto number = line.substr(0, line.find(';'));
    return !number.empty() && number.find_first_not_of("0123456789") == std::string_view::npos &&
           line.find_first_of(" \t") == std::string_view::npos;
}

/// The job's id in sbatch's answer, with which a site may print hints; empty if there is none.
std::string job_id_in(const std::string& answer) {
    std::string id;
    std::istringstream lines(answer);
    for (std::string line; std::getline(lines, line);) {
        if (is_job_id(line)) {
            id = line;
        }
    }
    return id;
}

/// The first line of squeue's answer. It has one line per part of a heterogeneous job; the parts begin and end
/// together.
std::string first_line(const std::string& answer) { return answer.substr(0, answer.find('\n')); }

}  // namespace

bool Slurm::is_installed() const { return is_program("sbatch"); }

std::string Slurm::text(const std::string& variable) const {
    const char* value = variables_(variable.c_str());
    return value != nullptr ? value : "";
}

int Slurm::number(const std::string& variable) const { return std::atoi(text(variable).c_str()); }

std::vector<int> Slurm::parts_of_job() const {
    if (text("SLURM_JOB_ID_HET_GROUP_0") != text("SLURM_JOB_ID")) {  // stale, from the shell that called sbatch
        return {};
    }
    std::vector<int> parts(static_cast<std::size_t>(std::max(0, number("SLURM_HET_SIZE"))));
    std::iota(parts.begin(), parts.end(), 0);
    return parts;
}

std::optional<OwnJob> Slurm::own_job() const {
    if (text("SLURM_JOB_ID").empty()) {
        return std::nullopt;
    }
    OwnJob job{text("SLURM_JOB_ID"), text("SLURM_JOB_NODELIST"), number("SLURM_JOB_NUM_NODES"), {}};
    // Variables that name no part describe the first part, or are not set.
    if (const auto parts = parts_of_job(); !parts.empty()) {
        std::vector<std::string> nodes;
        job.num_nodes = 0;
        for (const int part : parts) {
            nodes.push_back(text(fmt::format("SLURM_JOB_NODELIST_HET_GROUP_{}", part)));
            job.num_nodes += number(fmt::format("SLURM_JOB_NUM_NODES_HET_GROUP_{}", part));
        }
        job.nodes = fmt::format("{}", fmt::join(nodes, ","));
    }
    if (const auto task = text("SLURM_ARRAY_TASK_ID"); !task.empty()) {
        job.id = text("SLURM_ARRAY_JOB_ID") + "_" + task;  // the id of one task's job stands for the whole array
    }
    if (const auto end = text("SLURM_JOB_END_TIME"); !end.empty()) {
        job.end = std::atof(end.c_str());
    }
    return job;
}

/// A node's Slurm daemon sets the node's name for every process it starts. salloc starts its shell without the daemon.
bool Slurm::is_beside_own_job() const { return own_job() && variables_("SLURMD_NODENAME") == nullptr; }

std::optional<int> Slurm::num_tasks() const {
    const char* value = variables_("SLURM_STEP_NUM_TASKS");
    return value != nullptr ? std::optional(std::max(1, std::atoi(value))) : std::nullopt;
}

bool Slurm::is_of_rank(std::string_view variable) const { return is_of_step(variable); }

std::optional<std::string> Slurm::gpus() const {
    for (const char* name : {"SLURM_STEP_GPUS", "SLURM_JOB_GPUS"}) {
        if (const char* list = variables_(name)) {
            return list;
        }
    }
    return std::nullopt;
}

RankLauncher Slurm::rank_launcher(const std::string& pmi) const {
    std::string one_a_node = "--ntasks-per-node=1";
    if (!text("SLURM_STEP_ID").empty()) {  // in a shell of `srun --pty`, whose step keeps the cores until it ends
        one_a_node = "--overlap " + one_a_node;
    }
    if (const auto parts = parts_of_job(); !parts.empty()) {
        one_a_node = fmt::format("--het-group={} {}", fmt::join(parts, ","), one_a_node);
    }
    return {pmi.empty() ? "srun" : "srun --mpi=" + pmi, one_a_node, "srun --mpi=list",
            "--no-kill --kill-on-bad-exit=0"};
}

std::string Slurm::id_in_job(const std::string& job) const { return number_of(job); }

std::string Slurm::submit(const std::filesystem::path& script, const std::string& last_job) const {
    // Slurm's daemon may be busy for minutes although it has the request.
    constexpr std::chrono::minutes patience(5);
    const auto answer =
        run_slurm_tool({"sbatch", "--parsable", script.string()}, overriding_variables(script), patience);
    const auto job = job_id_in(answer.output);
    if (answer.is_late || answer.errors.find("Socket timed out") != std::string::npos ||
        (answer.success() && job.empty())) {
        throw JobMayBeQueued(
            fmt::format("sbatch did not report whether it queued the job: {}\nCheck whether `squeue --me --format='%i "
                        "%T %o'` shows {}. If so, that job runs the sweep, and `scancel` cancels it; if not, "
                        "`crescendo submit {}` queues another",
                        answer.words(), script.string(), shell_quoted(script.parent_path())));
    }
    if (!answer.success()) {
        throw InvalidInput(
            answer.code == 127
                ? "there is no sbatch here, but `crescendo submit` needs Slurm; use a login node of the cluster, or "
                  "run the sweep on this machine with `crescendo run`"
                : fmt::format("sbatch refuses the job: {}\nSee docs/slurm.md for what can be set, or `--dry-run` for "
                              "the script",
                              answer.words()));
    }
    // On our own job's cluster, the answer names no cluster, because none had to be chosen; elsewhere one must be
    // named.
    return is_own_job(last_job) && cluster_of(job).empty() && !cluster_of(last_job).empty()
               ? job + ";" + cluster_of(last_job)
               : job;
}

std::optional<JobState> Slurm::state(const std::string& job) const {
    const auto answer = ask_squeue(job, "%T");
    if (!answer || answer->empty()) {
        return answer ? std::optional(JobState::gone) : std::nullopt;
    }
    std::optional<JobState> state;
    std::istringstream lines(*answer);  // one per part of a heterogeneous job; the parts begin and end together
    for (std::string line; !state && std::getline(lines, line);) {
        state = state_named(line);
    }
    return state;
}

JobStates Slurm::states(const std::vector<std::string>& jobs) const {
    std::map<std::string, std::vector<std::string>> of_clusters;  // numbers
    for (const auto& job : jobs) {
        of_clusters[cluster_of(job)].push_back(number_of(job));
    }
    JobStates states;
    for (const auto& [cluster, numbers] : of_clusters) {
        const auto ending = cluster.empty() ? "" : ";" + cluster;
        const auto answer = ask_squeue(fmt::format("{}{}", fmt::join(numbers, ","), ending), "%i %T");
        bool is_understood = answer.has_value();
        std::istringstream lines(answer.value_or(""));
        for (std::string line; std::getline(lines, line);) {
            std::string number;
            std::string word;
            std::istringstream(line) >> number >> word;
            if (const auto state = state_named(word)) {
                states[number.substr(0, number.find('+')) + ending] = state;  // 17+1 is a part of job 17
            } else {
                is_understood = false;
            }
        }
        for (const auto& number : numbers) {
            states.try_emplace(number + ending, is_understood ? std::optional(JobState::gone) : std::nullopt);
        }
    }
    return states;
}

std::optional<std::chrono::seconds> Slurm::time_left(const std::string& job) const {
    constexpr std::chrono::seconds patience(10);  // less than the heartbeat timeout of the other ranks
    const auto left = first_line(ask_squeue(job, "%L", "RUNNING", patience).value_or(""));
    return left == "UNLIMITED" ? std::chrono::hours(24 * 365) : parse_job_time(left);
}

std::string Slurm::state_command(const std::string& job) const {
    return fmt::format("{}", fmt::join(about({"squeue", "--jobs=" + number_of(job)}, job), " "));
}

void Slurm::cancel(const std::string& job) const {
    const auto answer = run_slurm_tool(about({"scancel", number_of(job)}, job));
    CRESCENDO_VALIDATE(answer.success(), "", "job {} cannot be cancelled: {}", job, answer.words());
}

void Slurm::rescue_if_orphaned(const std::string& job, const std::filesystem::path& log) const {
    launch::rescue_if_orphaned(job, log);
}

}  // namespace crescendo::launch
