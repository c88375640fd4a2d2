#include "launch/commands/resume.hpp"

#include <fmt/format.h>

#include <cstdlib>
#include <memory>

#include "core/check.hpp"
#include "core/mapped.hpp"
#include "core/shell_words.hpp"
#include "launch/commands/commands.hpp"
#include "launch/commands/options.hpp"
#include "launch/commands/steer.hpp"
#include "launch/commands/sweep_end.hpp"
#include "launch/commands/validators.hpp"
#include "launch/directory/kept_trials.hpp"
#include "launch/directory/new_sweep.hpp"
#include "launch/directory/recorded_sweep.hpp"
#include "launch/directory/reopening.hpp"
#include "launch/directory/standing.hpp"
#include "launch/directory/sweep_lock.hpp"
#include "launch/process/job_script_variables.hpp"
#include "launch/sweep_file/command/command_macros.hpp"
#include "launch/sweep_file/keys/sweep_keys.hpp"

namespace crescendo::launch {
namespace {

namespace fs = std::filesystem;

/// Applies what the options change since the last session. Throws InvalidInput if they leave nothing to do.
Reopening reopen(const RecordedSweep& recorded, const ResumeOptions& options) {
    auto settings = mapped(options.settings, parse_setting);
    if (options.run_cap) {
        settings.push_back({"run_cap", std::to_string(*options.run_cap)});
    }
    if (!recorded.frozen) {
        fmt::print(
            "an older version of crescendo began this sweep; its trials' configurations are drawn from the sweep "
            "file\n");
    }
    Reopening reopening(recorded);
    reopening.set(settings);
    if (options.retry_failed) {
        if (const int num_left = reopening.retry_failed(); num_left > 0) {
            fmt::print("{} failed trials are not retried: their rungs were already ranked without them\n", num_left);
        }
    }
    const auto& sweep = reopening.sweep();
    const bool was_over = recorded.history.sweep().state() != SweepState::running;
    CRESCENDO_VALIDATE(settings.empty() || !was_over || sweep.state() == SweepState::running, "",
                       "{}: the sweep is over ({}), and these limits leave nothing to do: {} trials have started, and "
                       "run_cap is {}; raise run_cap, or the budget that ended the sweep",
                       recorded.directory.path().string(), finish_reason_texts.of(*sweep.finish_reason()),
                       sweep.trials().size(),
                       sweep.spec().run_cap ? std::to_string(*sweep.spec().run_cap) : "not given");
    return reopening;
}

}  // namespace

ExitCode resume_sweep(const ResumeOptions& options, MpiSession* session) {
    require_sound_start(options.session, session);
    const auto directory = SweepDirectory::open(options.directory);
    SweepLock lock(directory);
    if (lock.abandoned_by()) {
        fmt::print("taking over from {}, which ended without releasing the sweep\n", *lock.abandoned_by());
    }
    auto recorded = RecordedSweep::recover(directory);
    auto& history = recorded.history;
    const auto reopening = reopen(recorded, options);
    const auto best = history.sweep().best();
    const bool tested = !best || !recorded.file.has_final_test() || (history.test() && history.test()->trial == best);
    const bool was_over = history.sweep().state() != SweepState::running;
    if (was_over && tested && reopening.sweep().state() != SweepState::running) {
        fmt::print("the sweep is over, with nothing left to do; `{}` extends it\n",
                   directory.way_to_extend("run_cap=N"));
        // The last session may have died before it did this.
        clean_up({recorded.file.keep, recorded.file.has_warm_trainers()}, history.sweep(), directory);
        write_results(recorded.file, history, directory);
        const auto outcome = history.sweep().state() == SweepState::failed ? Outcome::failed : Outcome::finished;
        return report_end(outcome, recorded.file, history, directory);
    }
    const bool is_in_job = std::getenv(exit_status_variable) != nullptr;
    const auto where = directory.path().string();
    // A job script that the user wrote runs in a job, and must not fail if Slurm is briefly unavailable.
    const bool must_know = !is_in_job && !batch_system()->own_job();
    const auto job =
        must_know ? require_state_of_job(directory, "and a queued job would fail when it finds the sweep running")
                  : state_of_job(directory);
    CRESCENDO_VALIDATE(is_in_job || job != JobState::queued, "",
                       "{}: job {} of this sweep is queued, and would fail when it finds the sweep running; `crescendo "
                       "stop {}` cancels it, `crescendo status {}` shows what it is waiting for",
                       where, directory.job(), shell_quoted(where), shell_quoted(where));
    if (is_in_job) {
        note_own_job(directory);
    } else {
        fs::remove(directory.stop_request());
    }
    for (const auto& [key, problem] : unset_variables(recorded.file.command.value_or(std::vector<std::string>{}))) {
        recorded.file.source.fail(key, problem);
    }
    auto journal = Journal::open(directory.journal(), recorded.end);
    return run_session({reopening.file(), directory, journal, history, &lock}, options.session, session,
                       reopening.records());
}

void add_resume_command(CLI::App& app, ExitCode& code, MpiSession* session) {
    auto options = std::make_shared<ResumeOptions>();
    auto* command =
        app.add_subcommand("resume", "Continue a sweep that was stopped or killed, or extend one that has ended; or "
                                     "continue trials that were paused");
    add_directory_argument(*command, options->directory);
    command->add_option("TRIAL", options->trials, "Continue only these trials, which `crescendo pause` paused")
        ->check(at_least(0));
    command
        ->add_option("--run-cap", options->run_cap,
                     "New `run_cap`: the number of trials in all; extends a finished sweep")
        ->check(at_least_one());
    command
        ->add_option("--set", options->settings,
                     "KEY=VALUE that replaces the sweep file's value; null removes a limit; repeatable. KEY: " +
                         list_of_changeable_keys())
        ->allow_extra_args(false);
    command->add_flag("--retry-failed", options->retry_failed,
                      "Retry failed trials, from their checkpoints if they have any");
    add_session_options(*command, options->session);
    command->footer(
        "Example:\n  crescendo resume results/first\n  crescendo resume results/first --run-cap 200 --set "
        "budget.time=12h\n  crescendo resume results/first 17");
    command->callback([command, options, &code, session] {
        for (const auto* option : command->get_options()) {
            CRESCENDO_VALIDATE(
                options->trials.empty() || option->get_positional() || option->count() == 0, "",
                "{} applies to the whole sweep, but TRIAL continues only paused trials; give one of the two",
                option->get_name());
        }
        code = options->trials.empty() ? resume_sweep(*options, session)
                                       : ask_for_each<ResumeRequest>(options->directory, options->trials);
    });
}

}  // namespace crescendo::launch
