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

/// What the environment says about the batch job that this process is in.
struct OwnJob {
    std::string id;
    std::string nodes;          ///< its nodes, as the batch system writes them: "n[1-4]"
    int num_nodes = 0;          ///< 0 if the environment does not say
    std::optional<double> end;  ///< when its time is up, in seconds since 1970; not every version says it
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

/// Jobs and their states, as BatchSystem::state() tells them.
using JobStates = std::map<std::string, std::optional<JobState>>;

/// The command by which a batch system starts the ranks of an MPI program in a job.
struct RankLauncher {
    std::string command;     ///< "srun --mpi=pmix"
    std::string one_a_node;  ///< its options for one rank on each node, from where we are
    std::string help;        ///< the command that lists the MPIs it can start: "srun --mpi=list"
    std::string lets_live;   ///< its options by which ranks outlive others: "--no-kill --kill-on-bad-exit=0"

    std::string on_each_node() const { return command + " " + one_a_node; }
    /// The same for a sweep, which survives the loss of a node.
    std::string for_sweep() const { return command + " " + lets_live + " " + one_a_node; }
};

/// The parts of a job script in which batch systems differ. job_script() has the rest.
struct ScriptParts {
    /// What the job asks for, as comments that the batch system reads. Among it: the signal USR2 to the script, as long
    /// before the end of the job as the site's `lead`.
    std::string directives;

    /// Words of bash that start one process on each of $nodes (n1,n2,…), of which there are $count.
    std::string launcher;

    /// Bash that sets `job_id` and defines these functions about the job. The first three and the last return 2 if the
    /// batch system does not answer.
    /// `job_nodes` prints the nodes that it still has, one a line;
    /// `job_end` prints when its time is up, in seconds since 1970, or nothing;
    /// `job_is_running` succeeds unless it was cancelled;
    /// `job_is_preempted` succeeds if it must make way for another;
    /// `requeue_job` queues it again, and returns 1 where that is not allowed.
    std::string functions;
};

/// A cluster's batch system: the one place that knows its commands, and the variables that it sets in jobs.
///
/// Another batch system is one more class, and one more row in the table of batch_system.cpp.
class BatchSystem {
  public:
    virtual ~BatchSystem() = default;

    /// "Slurm"
    virtual std::string name() const = 0;

    /// Whether its commands are on this machine.
    virtual bool is_installed() const = 0;

    /// The job that this process is in, if any.
    virtual std::optional<OwnJob> own_job() const = 0;
    bool is_own_job(const std::string& job) const;

    /// The id of a job that submit() returned as the job itself knows it, and the path of its log: it may be shorter.
    virtual std::string id_in_job(const std::string& job) const { return job; }

    /// The number of tasks that its launcher started together, this process included; nothing if it did not start us.
    virtual std::optional<int> num_tasks() const = 0;

    /// Whether its launcher tells a process by this variable its place among the others. Without these it is a process
    /// of the job, and on its own.
    virtual bool is_of_rank(std::string_view variable) const = 0;

    /// The GPUs that it gave to this process, in the syntax of CUDA_VISIBLE_DEVICES; nothing if it does not say.
    virtual std::optional<std::string> gpus() const = 0;

    /// How ranks are started that learn of each other through `pmi` ("pmix", "pmi2"); empty: without MPI.
    virtual RankLauncher rank_launcher(const std::string& pmi) const = 0;

    /// The command that queues a script: "sbatch". `crescendo submit` and site profiles take further options of it
    /// under this name.
    virtual std::string submit_command() const = 0;

    /// What stands for the job's id in the path of its log.
    virtual std::string id_in_path() const = 0;

    /// Throws InvalidInput if a value of the request cannot be written into a script.
    virtual ScriptParts script_parts(const JobRequest& request) const = 0;

    /// Queues the script and returns the job's id, by which all below know it. `last_job` is that of the sweep's last
    /// job, from within which this one may be submitted; empty: none. Throws InvalidInput with the batch system's own
    /// words if it refuses, and JobMayBeQueued if it does not answer in time.
    virtual std::string submit(const std::filesystem::path& script, const std::string& last_job) const = 0;

    /// State of a job; std::nullopt if the batch system cannot be asked: it is not installed, or does not answer.
    virtual std::optional<JobState> state(const std::string& job) const = 0;

    /// The same of many jobs, by one question for all where that is possible.
    virtual JobStates states(const std::vector<std::string>& jobs) const = 0;

    /// The command by which a user asks for the state of a job.
    virtual std::string state_command(const std::string& job) const = 0;

    /// Throws InvalidInput with the batch system's own words if it fails.
    virtual void cancel(const std::string& job) const = 0;

    /// For a rank that has lost rank 0, and with it perhaps the node of the job script. Returns at once if that node
    /// answers. Otherwise the job is queued again, or cancelled if that is not allowed, and `log` says so.
    virtual void rescue_if_orphaned(const std::string& job, const std::filesystem::path& log) const = 0;

    /// How long a running job may still take as it stands now; a year if it has no limit. Nothing where the batch
    /// system does not say, within some seconds.
    virtual std::optional<std::chrono::seconds> time_left(const std::string& job) const = 0;

    /// Whether this process has the variables of its job, and runs on none of the job's nodes: in a shell on a login
    /// node that holds them.
    virtual bool is_beside_own_job() const = 0;
};

/// Number of ranks after rank 0 that rescue the job when rank 0 is lost. One would be enough if two nodes never died
/// together.
inline constexpr int num_rescuers = 3;

/// Makes one batch system, which sees the environment through `variables`.
using BatchSystemFactory = std::function<std::unique_ptr<BatchSystem>(const Variables& variables)>;

/// The first of `known` in whose job this process is; else the first that is installed; else the first. `known` is not
/// empty.
std::unique_ptr<BatchSystem> choose_batch_system(const std::vector<BatchSystemFactory>& known,
                                                 const Variables& variables);

/// Asks this machine's batch system for the states of jobs, about each of them twice a minute at most: for a view,
/// which looks every second.
class JobWatch {
  public:
    /// As BatchSystem::state(). Without a watch, it is asked now.
    static std::optional<JobState> state(const std::string& job, JobWatch* watch);

    /// Asks about all of these at once, and never again: for a list.
    void look_up(const std::vector<std::string>& jobs);

  private:
    struct Answer {
        std::optional<JobState> state;
        std::chrono::steady_clock::time_point until;  ///< until then nobody is asked again about this job
    };

    std::map<std::string, Answer> answers_;
};

/// The batch system of this machine, of those that Crescendo knows.
std::unique_ptr<BatchSystem> batch_system(const Variables& variables = ::getenv);

/// Chooses the variables by which a process that we start would take itself for a rank of ours: a program that calls
/// MPI, for one, would look for the launcher's end of what they promise, and abort.
std::function<bool(std::string_view variable)> variables_of_ranks();

}  // namespace crescendo::launch
