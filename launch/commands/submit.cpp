#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>

#include <cerrno>
#include <cstdlib>
#include <exception>
#include <memory>

#include "core/check.hpp"
#include "core/files/durable_file.hpp"
#include "core/files/file_descriptor.hpp"
#include "core/shell_words.hpp"
#include "launch/batch/job_script.hpp"
#include "launch/batch/job_time.hpp"
#include "launch/commands/commands.hpp"
#include "launch/commands/complain.hpp"
#include "launch/commands/validators.hpp"
#include "launch/directory/new_sweep.hpp"
#include "launch/directory/recorded_sweep.hpp"
#include "launch/directory/reopening.hpp"
#include "launch/directory/standing.hpp"
#include "launch/directory/sweep_lock.hpp"
#include "launch/directory/warm_start.hpp"
#include "launch/files/read_file.hpp"
#include "launch/journal/directory_error.hpp"
#include "launch/process/job_script_variables.hpp"
#include "launch/sweep_file/check/sweep_check.hpp"
#include "launch/sweep_file/sections/site_profile.hpp"
#include "launch/transport/launched.hpp"

namespace crescendo::launch {
namespace {

namespace fs = std::filesystem;

struct SubmitOptions {
    fs::path target;     // a sweep file, or the directory of a sweep
    fs::path directory;  // --dir
    JobOptions job;
    std::string time;
    fs::path site;
    bool dry_run = false;

    bool describe_a_job() const { return Json(job) != Json(JobOptions{}) || !site.empty(); }
};

fs::path own_program() { return fs::read_symlink("/proc/self/exe"); }

JobRequest make_request(const SweepFile& file, const fs::path& directory, const fs::path& working_directory,
                        const JobOptions& job, const fs::path& site) {
    JobRequest request;
    request.name = file.name;
    request.directory = fs::absolute(directory).lexically_normal();
    request.log = SweepDirectory(request.directory).job_log(batch_system()->id_in_path());
    request.working_directory = working_directory;
    request.crescendo = own_program();
    if (!site.empty()) {
        request.site = read_site_profile(site);
        request.site.environment.insert(request.site.environment.begin(), {site_variable, site.string()});
    }
    if (request.site.launcher.empty()) {
        request.site.launcher = rank_launcher().command;
    }
    if (file.slots || file.slots_per_gpu) {
        request.site.defaults.slots_per_gpu.reset();  // the sweep file takes precedence over the site's default
    }
    request.options = job.over(request.site.defaults);
    return request;
}

/// The site profile from the option, or from the usual places; empty if there is none.
fs::path site_of(const SubmitOptions& options) {
    const auto site = options.site.empty() ? find_site_profile().value_or("") : options.site;
    return site.empty() ? site : fs::absolute(site);
}

/// Allows one process at a time to queue a job of a sweep: held from the check for other jobs until the new one is
/// recorded. It is a lock (flock) on the journal, opened for writing, so users who may only read the sweep cannot get
/// it.
class QueueLock {
  public:
    /// Throws InvalidInput if another process holds it, and as cannot_open() does.
    explicit QueueLock(const SweepDirectory& directory)
        : file_(::open(directory.journal().c_str(), O_RDWR | O_CLOEXEC)) {
        if (!file_) {
            cannot_open(directory.journal());
        }
        CRESCENDO_VALIDATE(::flock(file_.get(), LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK, "",
                           "{}: another `crescendo submit` is queueing a job of this sweep, and two jobs would "
                           "overwrite each other's files; `crescendo status {}` shows what became of it",
                           directory.path().string(), shell_quoted(directory.path()));
    }

  private:
    FileDescriptor file_;
};

/// Records the id of the queued job, so that there is never a second one.
ExitCode note_job(const SweepDirectory& directory, const std::string& job) {
    try {
        directory.note_job(job);
    } catch (...) {
        remark(fmt::format("job {} is queued, but this could not be recorded; do not submit another one", job));
        throw;
    }
    const auto where = shell_quoted(directory.path());  // quoted, because users copy these lines
    fmt::print(
        "job {} is queued\n\n"
        "  crescendo status {}     progress\n"
        "  crescendo top {}     the same, live\n"
        "  crescendo stop {}     saves running trials and stops; cancels the job if it is still queued\n"
        "  {}/job-{}.log     its output\n",
        job, where, where, where, where, batch_system()->id_in_job(job));
    return ExitCode::done;
}

void note_request(const SweepDirectory& directory, const JobOptions& job, const fs::path& site) {
    auto run = directory.read_run();
    run["submit"] = job;
    run["submit"]["site"] = site.string();
    directory.write_run(run);
}

/// Readable by its owner only: the script may hold secrets that the site profile exports.
void write_job_script(const SweepDirectory& directory, const std::string& script) {
    replace_file(directory.job_script(), script, Durability::on_disk, for_owner);
}

/// Adds advice to the error, because another user's job script may be unreadable.
std::string read_job_script(const SweepDirectory& directory, const std::string& advice) try {
    return read_regular_file(directory.job_script());
} catch (const InvalidInput& error) {
    throw InvalidInput(fmt::format("{}; {}", error.what(), advice));
}

ExitCode submit_new(const SubmitOptions& options) {
    auto file = read_sound_sweep_file(options.target);
    gather_warm_start(file, remark);
    const auto path = options.directory.empty() ? fs::path(file.name) : options.directory;
    const auto site = site_of(options);
    const auto script = job_script(make_request(file, path, fs::current_path(), options.job, site), *batch_system());
    if (options.dry_run) {
        fmt::print("{}", script);
        return ExitCode::done;
    }
    CRESCENDO_VALIDATE(
        !is_there(SweepDirectory(path).journal()), "",
        "{}: already holds a sweep; `crescendo submit {}` continues it, --dir NAME starts a new one elsewhere",
        path.string(), shell_quoted(path));
    const auto directory = create_sweep(path, file);
    const QueueLock lock(directory);
    std::string job;
    try {
        note_request(directory, options.job, site);
        write_job_script(directory, script);
        job = batch_system()->submit(directory.job_script(), "");
    } catch (const JobMayBeQueued&) {
        throw;  // the job needs the directory
    } catch (...) {
        directory.discard();
        throw;
    }
    return note_job(directory, job);
}

/// Throws InvalidInput if the sweep has another job. The job that we are in does not count, because the next one
/// replaces it.
void require_idle(const SweepDirectory& directory) {
    const auto where = directory.path().string();
    const auto job = directory.job();
    const auto system = batch_system();
    if (job.empty() || system->is_own_job(job)) {
        return;
    }
    const auto state = require_state_of_job(directory, "and two jobs would overwrite each other's files");
    CRESCENDO_VALIDATE(state == JobState::gone, "",
                       "{}: job {} of this sweep is already {} (two jobs would overwrite each other's files); "
                       "`crescendo stop {}` ends it, `crescendo status {}` shows its progress",
                       where, job, state == JobState::queued ? "queued" : "running", shell_quoted(where),
                       shell_quoted(where));
}

/// Whether a job script works in another directory: this one is a copy of it, or was moved from there.
bool is_elsewhere(const JobPlaces& script, const fs::path& directory) {
    std::error_code gone;
    return script.directory && !fs::equivalent(*script.directory, directory, gone);
}

/// Which path in a job script is missing, or belongs to another sweep; empty if all are right.
std::string what_moved(const JobPlaces& script, const fs::path& directory) {
    const auto is_gone = [](const std::optional<fs::path>& path) {
        std::error_code unknown;
        return path && !fs::exists(*path, unknown);
    };
    if (is_elsewhere(script, directory)) {
        return fmt::format("continues the sweep in {}, not the one here", script.directory->string());
    }
    if (is_gone(script.crescendo)) {
        return fmt::format("launches {}, which does not exist", script.crescendo->string());
    }
    if (is_gone(script.working_directory)) {
        return fmt::format("works in {}, which does not exist", script.working_directory->string());
    }
    return {};
}

/// How `crescendo set` extends a sweep that is over, as the end of a sentence; empty if it cannot.
std::string way_to_extend(FinishReason reason, const SweepDirectory& directory) {
    const char* limit = "";
    switch (reason) {
        case FinishReason::all_trials_done:
            limit = "run_cap";
            break;
        case FinishReason::target_reached:
            limit = "budget.target";
            break;
        case FinishReason::time_up:
            limit = "budget.time";
            break;
        case FinishReason::cancelled:
        case FinishReason::no_progress:
            return "";
    }
    return fmt::format(", and `crescendo set {} {}=...` extends it", shell_quoted(directory.path()), limit);
}

void require_unfinished(const Sweep& sweep, const SweepDirectory& directory) {
    const auto& reason = sweep.finish_reason();
    CRESCENDO_VALIDATE(!reason, "",
                       "{}: this sweep is over ({}), so there is nothing to continue; `crescendo best {}` "
                       "shows its result{}",
                       directory.path().string(), finish_reason_texts.of(*reason), shell_quoted(directory.path()),
                       way_to_extend(*reason, directory));
}

/// Writes the script of the next job, or prints it with --dry-run.
void prepare_next_job(const SubmitOptions& options, const SweepDirectory& directory, std::optional<QueueLock>& lock) {
    const auto where = directory.path().string();
    CRESCENDO_VALIDATE(options.directory.empty(), "",
                       "--dir is for a new sweep, but {} is the directory of an existing sweep; omit --dir", where);
    const RecordedSweep recorded(directory.path());
    require_unfinished(Reopening(recorded).sweep(), directory);
    if (!options.dry_run) {
        lock.emplace(directory);
    }
    require_idle(directory);
    // In the job script, the holder is ignored: it may be a rank 0 that hangs after it reported its exit code.
    const bool is_in_script = std::getenv(exit_status_variable) != nullptr;
    const auto holder = is_in_script ? std::nullopt : SweepLock::holder(directory);
    CRESCENDO_VALIDATE(!holder, "", "{}: {} is using this directory; `crescendo stop {}` ends it", where,
                       holder.value_or(""), shell_quoted(where));
    const auto before = directory.read_run().value("submit", Json::object());
    const auto job = options.job.over(before.get<JobOptions>());
    const auto site = options.site.empty() && before.contains("site") ? fs::path(before.at("site").get<std::string>())
                                                                      : site_of(options);
    const auto script_for = [&](const fs::path& path, const fs::path& working_directory, const fs::path& crescendo) {
        auto request = make_request(recorded.file, path, working_directory, job, site);
        request.crescendo = crescendo;
        return job_script(request, *batch_system());
    };
    const auto working_directory = directory.working_directory();
    const bool is_given = !options.describe_a_job() && is_there(directory.job_script());
    const auto advice = fmt::format("give an option, such as --nodes {}, to have it rewritten", job.nodes.value_or(1));
    auto script = is_given ? read_job_script(directory, advice) : "";
    const auto places = places_in(script);
    const auto moved = what_moved(places, directory.path());
    const bool is_as_written = !moved.empty() && places.directory && places.crescendo && places.working_directory &&
                               script == script_for(*places.directory, *places.working_directory, *places.crescendo);
    if (!moved.empty() && !is_as_written) {
        const auto words = fmt::format(
            "{}: {}, and the script was edited or written by another version; put the new path in it, or {}",
            directory.job_script().string(), moved, advice);
        CRESCENDO_VALIDATE(!is_elsewhere(places, directory.path()), "", "{}", words);
        remark("note: " + words);  // the job's nodes may have files that this machine lacks
    }
    if (!is_given || is_as_written) {
        script = script_for(directory.path(), working_directory, own_program());
        if (!options.dry_run) {
            note_request(directory, job, site);
            write_job_script(directory, script);
        }
    }
    if (options.dry_run) {
        fmt::print("{}", script);
        return;
    }
    directory.require_writable();  // otherwise, the job could not be recorded
    fs::remove(directory.stop_request());
}

/// Any failure before the job is queued becomes InvalidInput, with the exit code of a refusal, so that a job script
/// tries again. After a later failure, the job may exist.
ExitCode submit_again(const SubmitOptions& options) {
    const auto directory = SweepDirectory::open(options.target);
    std::optional<QueueLock> lock;
    try {
        prepare_next_job(options, directory, lock);
    } catch (const InvalidInput&) {
        throw;
    } catch (const std::exception& error) {
        throw InvalidInput(error.what());
    }
    if (options.dry_run) {
        return ExitCode::done;
    }
    const auto last_job = directory.job();
    return note_job(directory, batch_system()->submit(directory.job_script(), last_job));
}

ExitCode submit(SubmitOptions& options) {
    if (!options.time.empty()) {
        options.job.time = parse_job_time(options.time);
        CRESCENDO_VALIDATE(
            options.job.time && options.job.time->count() > 0, "time",
            "--time: '{}' is not a duration; write it like 8h, 90m, 08:00:00 or 1-12:00:00; a bare number is "
            "minutes, as for sbatch",
            options.time);
    }
    return fs::is_directory(options.target) ? submit_again(options) : submit_new(options);
}

}  // namespace

void add_submit_command(CLI::App& app, ExitCode& code) {
    auto options = std::make_shared<SubmitOptions>();
    const auto system = batch_system();
    auto* command = app.add_subcommand("submit", "Run or continue a sweep as a job of " + system->name());
    command->add_option("FILE|DIR", options->target, "A sweep file, or the directory of a sweep to continue")
        ->required();
    command->add_option("--dir", options->directory, "Folder for the results; default: the sweep's name");
    command->add_option("--nodes", options->job.nodes, "Nodes; default: 1")->check(at_least_one());
    command->add_option("--time", options->time,
                        "Time of each job, such as 8h, or in sbatch's formats (10 is ten minutes); a longer sweep "
                        "continues in another job");
    command->add_option("--partition", options->job.partition, "Partition");
    command->add_option("--account", options->job.account, "Account");
    command->add_option("--gpus-per-node", options->job.gpus_per_node, "GPUs of each node")->check(at_least_one());
    command->add_option("--cpus-per-task", options->job.cpus_per_task, "Cores of each node")->check(at_least_one());
    command
        ->add_option("--slots-per-gpu", options->job.slots_per_gpu,
                     "As in `crescendo run`; default: that of the sweep file, else of the site profile")
        ->check(at_least_one());
    const auto queues = system->submit_command();
    command->add_option("--" + queues, options->job.more, "Another option of " + queues + "; may be repeated")
        ->expected(1)
        ->take_all();
    command->add_option("--site", options->site,
                        "Site profile (docs/slurm.md); default: $CRESCENDO_SITE, ~/.config/crescendo/site.yaml, "
                        "/etc/crescendo/site.yaml");
    command->add_flag("--dry-run", options->dry_run, "Only print the job script");
    command->footer(
        "Example:\n"
        "  crescendo submit sweep.yaml --dir results/first --nodes 4 --time 8h --sbatch=--constraint=a100\n"
        "  crescendo submit results/first     continues it");
    command->callback([options, &code] { code = submit(*options); });
}

}  // namespace crescendo::launch
