#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "launch/batch/job_request.hpp"
#include "launch/system/environment.hpp"

namespace crescendo::launch {

/// The batch job of this process, according to the environment.
struct OwnJob {
    std::string id;
    std::string nodes;          ///< the job's nodes in the batch system's notation: "n[1-4]"
    int num_nodes = 0;          ///< 0 if the environment does not say
    std::optional<double> end;  ///< when its time is up, in seconds since 1970; some versions do not say it
};

/// The batch system did not say whether it queued a job. The message says how to look.
class JobMayBeQueued : public std::runtime_error {
  public:
    using std::runtime_error::runtime_error;
};

enum class JobState {
    gone,     ///< the job ended, was cancelled, or never existed
    queued,   ///< the job waits for nodes
    running,  ///< the job runs, or is starting or ending
};

/// Jobs and their states, as from BatchSystem::state().
using JobStates = std::map<std::string, std::optional<JobState>>;

/// The command with which a batch system starts the ranks of an MPI program in a job.
struct RankLauncher {
    std::string command;     ///< "srun --mpi=pmix"
    std::string one_a_node;  ///< its options for one rank on each node, from this process's place
    std::string help;        ///< the command that lists the MPIs it can start: "srun --mpi=list"
    std::string lets_live;   ///< its options that let ranks outlive others: "--no-kill --kill-on-bad-exit=0"

    std::string on_each_node() const { return command + " " + one_a_node; }
    /// As on_each_node(), for a sweep, which survives the loss of a node.
    std::string for_sweep() const { return command + " " + lets_live + " " + one_a_node; }
};

/// The parts of a job script that differ between batch systems. job_script() writes the rest.
struct ScriptParts {
    /// The job's requests, as comments that the batch system reads. They include the signal USR2 to the script, sent
    /// the site's `lead` before the end of the job.
    std::string directives;

    /// Bash words that start one process on each of $nodes (n1,n2,…); $count is their number.
    std::string launcher;

    /// Bash that sets `job_id` and defines these functions for the job. All except `job_is_preempted` return 2 if the
    /// batch system does not answer.
    /// `job_nodes` prints the nodes that the job still has, one per line;
    /// `job_end` prints when its time is up, in seconds since 1970, or nothing;
    /// `job_is_running` succeeds unless the job was cancelled;
    /// `job_is_preempted` succeeds if the job must make way for another;
    /// `requeue_job` queues the job again, and returns 1 if that is not allowed.
    std::string functions;
};

/// A cluster's batch system. Only implementations know its commands and the variables that it sets in jobs.
///
/// To add a batch system, add a class and a row in the table of batch_system.cpp.
class BatchSystem {
  public:
    virtual ~BatchSystem() = default;

    /// Name for messages: "Slurm".
    virtual std::string name() const = 0;

    /// Whether the batch system's commands are on this machine.
    virtual bool is_installed() const = 0;

    /// The job of this process, if any.
    virtual std::optional<OwnJob> own_job() const = 0;
    bool is_own_job(const std::string& job) const;

    /// The id that the job itself and the path of its log use, for a job that submit() returned. It may be shorter.
    virtual std::string id_in_job(const std::string& job) const { return job; }

    /// The number of tasks that the batch system's launcher started together, this process included; nothing if it did
    /// not start this process.
    virtual std::optional<int> num_tasks() const = 0;

    /// Whether the launcher uses this variable to tell a process its rank. Without such variables, a process belongs to
    /// the job but is on its own.
    virtual bool is_of_rank(std::string_view variable) const = 0;

    /// The GPUs allotted to this process, in the syntax of CUDA_VISIBLE_DEVICES; nothing if the batch system does not
    /// say.
    virtual std::optional<std::string> gpus() const = 0;

    /// How to start ranks that find each other through `pmi` ("pmix", "pmi2"); empty: without MPI.
    virtual RankLauncher rank_launcher(const std::string& pmi) const = 0;

    /// The command that queues a script: "sbatch". This name also introduces further options of that command in
    /// `crescendo submit` and in site profiles.
    virtual std::string submit_command() const = 0;

    /// Placeholder for the job's id in the path of its log.
    virtual std::string id_in_path() const = 0;

    /// Throws InvalidInput if a value of the request cannot be written into a script.
    virtual ScriptParts script_parts(const JobRequest& request) const = 0;

    /// Queues the script and returns the job's id, for the functions below. `last_job` is the id of the sweep's last
    /// job, from within which this one may be submitted; empty: none. Throws InvalidInput with the batch system's own
    /// words if it refuses, and JobMayBeQueued if it does not answer in time.
    virtual std::string submit(const std::filesystem::path& script, const std::string& last_job) const = 0;

    /// State of a job; std::nullopt if the batch system cannot be asked, because it is not installed or does not
    /// answer.
    virtual std::optional<JobState> state(const std::string& job) const = 0;

    /// States of many jobs, as state(), with a single query if possible.
    virtual JobStates states(const std::vector<std::string>& jobs) const = 0;

    /// The command that shows a user the state of a job.
    virtual std::string state_command(const std::string& job) const = 0;

    /// Cancels the job. Throws InvalidInput with the batch system's own words if that fails.
    virtual void cancel(const std::string& job) const = 0;

    /// Call it on a rank that has lost rank 0, and with it perhaps the node of the job script. Returns at once if that
    /// node answers. Otherwise queues the job again, or cancels it if that is not allowed, and writes so to `log`.
    virtual void rescue_if_orphaned(const std::string& job, const std::filesystem::path& log) const = 0;

    /// Time that a running job has left under its present limit; a year if it has no limit. Nothing if the batch system
    /// does not say so within a few seconds.
    virtual std::optional<std::chrono::seconds> time_left(const std::string& job) const = 0;

    /// Whether this process has the variables of a job but runs on none of its nodes, for example in a shell on a login
    /// node that keeps them.
    virtual bool is_beside_own_job() const = 0;
};

/// Number of ranks after rank 0 that rescue the job if rank 0 is lost. One would be enough if two nodes never failed
/// together.
inline constexpr int num_rescuers = 3;

/// Creates one batch system. It reads the environment through `variables`.
using BatchSystemFactory = std::function<std::unique_ptr<BatchSystem>(const Variables& variables)>;

/// Returns the first of `known` whose job this process is in; else the first that is installed; else the first. `known`
/// must not be empty.
std::unique_ptr<BatchSystem> choose_batch_system(const std::vector<BatchSystemFactory>& known,
                                                 const Variables& variables);

/// Caches the states of jobs, so that the batch system is asked about each job at most twice a minute. For a view that
/// refreshes every second.
class JobWatch {
  public:
    /// As BatchSystem::state(). If `watch` is null, asks the batch system now.
    static std::optional<JobState> state(const std::string& job, JobWatch* watch);

    /// Asks about all these jobs at once, and never again. For a list.
    void look_up(const std::vector<std::string>& jobs);

  private:
    struct Answer {
        std::optional<JobState> state;
        std::chrono::steady_clock::time_point until;  ///< when the batch system may be asked again about this job
    };

    std::map<std::string, Answer> answers_;
};

/// The batch system of this machine, among those that Crescendo knows.
std::unique_ptr<BatchSystem> batch_system(const Variables& variables = ::getenv);

/// Selects the variables that would make a child process take itself for one of our ranks. A program that calls MPI,
/// for example, would try to reach the launcher through them, and abort.
std::function<bool(std::string_view variable)> variables_of_ranks();

}  // namespace crescendo::launch
