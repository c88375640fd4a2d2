#pragma once

#include <filesystem>
#include <string>

#include "core/files/durable_file.hpp"
#include "core/ids.hpp"
#include "launch/journal/directory_error.hpp"
#include "launch/json/json.hpp"
#include "launch/messages/trial_files.hpp"
#include "launch/sweep_file/sweep_file.hpp"

namespace crescendo::launch {

/// The directory of a sweep, and the paths of its files (docs/architecture.md, section 6).
class SweepDirectory {
  public:
    explicit SweepDirectory(std::filesystem::path path) : path_(std::move(path)) {}

    /// Creates a directory with sweep.yaml and run.json. Throws InvalidInput, and leaves nothing behind, if the
    /// directory cannot be written or already exists (and says whether its sweep can be resumed). If several processes
    /// create one at the same time, one succeeds. `permissions` are those of sweep.yaml, before the umask.
    static SweepDirectory create(const std::filesystem::path& path, const std::string& sweep_file, const Json& run,
                                 std::filesystem::perms permissions = for_all);

    /// Opens the directory of an existing sweep. Throws InvalidInput if `path` holds none.
    static SweepDirectory open(const std::filesystem::path& path);

    const std::filesystem::path& path() const { return path_; }
    /// Whether `path` is an existing directory other than this one. If `path` no longer exists, this directory was
    /// moved, not copied. A directory that is mounted at two places is the same directory.
    bool is_copy_of(const std::filesystem::path& path) const;
    std::filesystem::path sweep_file() const { return path_ / "sweep.yaml"; }
    std::filesystem::path journal() const { return path_ / "journal.jsonl"; }
    std::filesystem::path run() const { return path_ / "run.json"; }
    std::filesystem::path results() const { return path_ / "results.csv"; }
    std::filesystem::path worker_log() const { return path_ / "trainers.log"; }
    /// Output of the commands of on_finish and on_failure.
    std::filesystem::path hook_log() const { return path_ / "hooks.log"; }
    /// Output of a sampler that is a program.
    std::filesystem::path sampler_log() const { return path_ / "sampler.log"; }
    /// The results of earlier sweeps that the sampler knew when this sweep began, if its file has `warm_start`.
    std::filesystem::path warm_start() const { return path_ / "warm_start.jsonl"; }
    /// The script of the sweep's batch jobs, if it was submitted.
    std::filesystem::path job_script() const { return path_ / "job.sh"; }
    /// Output of a batch job.
    std::filesystem::path job_log(const std::string& job) const { return path_ / ("job-" + job + ".log"); }
    std::filesystem::path lock() const { return path_ / "lock"; }
    /// A request to stop the sweep: `crescendo stop` creates this file, on any node.
    std::filesystem::path stop_request() const { return path_ / "stop"; }
    /// The folder of users' requests while the sweep runs (RequestInbox).
    std::filesystem::path requests() const { return path_ / "requests"; }
    std::filesystem::path trial(TrialId id) const;
    std::filesystem::path parameters(TrialId id) const { return trial(id) / trial_files::parameters; }
    /// Output of the trial's program or trainers.
    std::filesystem::path log(TrialId id) const { return trial(id) / trial_files::log; }
    std::filesystem::path checkpoint(TrialId id) const { return trial(id) / trial_files::checkpoint; }
    /// The trial's last measurement by `crescendo latency`, if there is one.
    std::filesystem::path latency(TrialId id) const { return trial(id) / trial_files::latency; }

    /// The command that continues the sweep, by a job if it was submitted: "crescendo resume first".
    std::string way_to_continue() const;
    /// As way_to_continue(), and retries failed trials.
    std::string way_to_retry() const;
    /// As way_to_continue(), with a new setting such as "run_cap=200".
    std::string way_to_extend(const std::string& setting) const;

    /// Contents of run.json: how the sweep was begun, and with what.
    Json read_run() const;
    void write_run(const Json& run) const;
    /// The folder in which the sweep's programs run. Throws InvalidInput if it does not exist, and std::system_error if
    /// the disk does not tell.
    std::filesystem::path working_directory() const;
    /// The id of the sweep's last batch job; empty if it never had one.
    std::string job() const;
    /// Notes the id of a batch job, and that it works in this directory. So a copy of the directory has no job, even if
    /// the user who copied it could not read the job's script.
    void note_job(const std::string& job) const;

    /// Reads the sweep file with `overrides`, under the name with which the sweep was started. The file may have been
    /// edited; RecordedSweep decides which values count.
    SweepFile read_sweep(const std::vector<Override>& overrides) const;

    /// Adds the results with which the sweep began to `file`, if it has `warm_start`.
    void add_warm_start(SweepFile& file) const;

    /// Throws DirectoryError if not even a small file can be written.
    void require_writable() const;

    /// Removes what create() made, if the sweep could not begin.
    void discard() const;

  private:
    std::filesystem::path path_;
    bool is_new_ = false;  ///< whether create() made the folder itself
};

}  // namespace crescendo::launch
