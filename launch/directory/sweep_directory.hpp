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

/// Where a sweep keeps its files (docs/architecture.md, section 6).
class SweepDirectory {
  public:
    explicit SweepDirectory(std::filesystem::path path) : path_(std::move(path)) {}

    /// Creates a directory with sweep.yaml and run.json. Throws InvalidInput, and leaves nothing behind, if the
    /// directory exists already (and says whether its sweep can be resumed) or cannot be written. Of several processes
    /// that create one at the same time, one succeeds. `permissions` are those of sweep.yaml, less what the umask takes
    /// away.
    static SweepDirectory create(const std::filesystem::path& path, const std::string& sweep_file, const Json& run,
                                 std::filesystem::perms permissions = for_all);

    /// Opens the directory of an existing sweep. Throws InvalidInput if `path` holds none.
    static SweepDirectory open(const std::filesystem::path& path);

    const std::filesystem::path& path() const { return path_; }
    /// Whether `path` is another directory. Nothing is a copy of what is not there: it was moved. One that is mounted
    /// at two places is the same.
    bool is_copy_of(const std::filesystem::path& path) const;
    std::filesystem::path sweep_file() const { return path_ / "sweep.yaml"; }
    std::filesystem::path journal() const { return path_ / "journal.jsonl"; }
    std::filesystem::path run() const { return path_ / "run.json"; }
    std::filesystem::path results() const { return path_ / "results.csv"; }
    std::filesystem::path worker_log() const { return path_ / "trainers.log"; }
    /// What the commands of on_finish and on_failure printed.
    std::filesystem::path hook_log() const { return path_ / "hooks.log"; }
    /// What a sampler that is a program printed.
    std::filesystem::path sampler_log() const { return path_ / "sampler.log"; }
    /// What the sampler knew of earlier sweeps when this one began, if its file has `warm_start`.
    std::filesystem::path warm_start() const { return path_ / "warm_start.jsonl"; }
    /// The script of its batch jobs, if the sweep was submitted.
    std::filesystem::path job_script() const { return path_ / "job.sh"; }
    /// What a batch job printed.
    std::filesystem::path job_log(const std::string& job) const { return path_ / ("job-" + job + ".log"); }
    std::filesystem::path lock() const { return path_ / "lock"; }
    /// A request to stop the sweep: `crescendo stop` makes this file, on any node.
    std::filesystem::path stop_request() const { return path_ / "stop"; }
    /// Where users ask for things while the sweep runs (RequestInbox).
    std::filesystem::path requests() const { return path_ / "requests"; }
    std::filesystem::path trial(TrialId id) const;
    std::filesystem::path parameters(TrialId id) const { return trial(id) / trial_files::parameters; }
    /// What the trial's program or trainers printed.
    std::filesystem::path log(TrialId id) const { return trial(id) / trial_files::log; }
    std::filesystem::path checkpoint(TrialId id) const { return trial(id) / trial_files::checkpoint; }
    /// The trial's last measurement of `crescendo latency`, if it has one.
    std::filesystem::path latency(TrialId id) const { return trial(id) / trial_files::latency; }

    /// The command that continues the sweep, by a job if it was submitted: "crescendo resume first".
    std::string way_to_continue() const;
    /// As way_to_continue(), with failed trials tried again.
    std::string way_to_retry() const;
    /// As way_to_continue(), with a setting such as "run_cap=200".
    std::string way_to_extend(const std::string& setting) const;

    /// What run.json says: how and with what the sweep was begun.
    Json read_run() const;
    void write_run(const Json& run) const;
    /// The folder in which its programs run. Throws InvalidInput if it is not there.
    std::filesystem::path working_directory() const;
    /// The id of its last batch job; empty if it never had one.
    std::string job() const;
    /// Notes the id of a batch job, and that it works here: a copy of the directory has no job, also where who copied
    /// it could not read the job's script.
    void note_job(const std::string& job) const;

    /// The sweep file with `overrides`, under the name that the sweep was started with. The file may have been edited;
    /// RecordedSweep says what counts.
    SweepFile read_sweep(const std::vector<Override>& overrides) const;

    /// Gives `file`, if it has `warm_start`, the results with which the sweep began.
    void add_warm_start(SweepFile& file) const;

    /// Throws DirectoryError if not even a small file can be written any more.
    void require_writable() const;

    /// Removes a directory that create() made, if the sweep could not begin. A link to one stays.
    void discard() const;

  private:
    std::filesystem::path path_;
};

}  // namespace crescendo::launch
