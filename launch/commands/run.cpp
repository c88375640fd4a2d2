#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <memory>

#include "core/check.hpp"
#include "launch/agent/agent_setup.hpp"
#include "launch/agent/program_worker.hpp"
#include "launch/batch/job_script.hpp"
#include "launch/commands/commands.hpp"
#include "launch/commands/validators.hpp"
#include "launch/coordinator/coordinator.hpp"
#include "launch/doctor/launcher.hpp"
#include "launch/record/new_sweep.hpp"
#include "launch/record/recorded_sweep.hpp"
#include "launch/record/reopening.hpp"
#include "launch/record/sweep_lock.hpp"
#include "launch/sweep_file/sweep_check.hpp"
#include "launch/transport/launched.hpp"
#include "launch/transport/local_transport.hpp"
#include "launch/transport/mpi_transport.hpp"
#include "launch/transport/network.hpp"
#include "launch/view/results.hpp"

namespace crescendo::launch {
namespace {

namespace fs = std::filesystem;

struct Options {
    fs::path file;                      // run
    fs::path directory;                 // run: --dir, resume: DIR
    std::vector<std::string> settings;  // resume: --set
    std::optional<std::int64_t> run_cap;
    bool retry_failed = false;
    std::optional<double> until;  // seconds since the epoch
    std::optional<int> slots;
    std::string interface;
};

/// mpirun gives its processes a terminal of its own, whatever it writes to itself.
std::unique_ptr<LiveView> make_view(const SweepFile& file, bool in_mpi_job) {
    ViewSettings settings{file.name, {}};
    if (file.time_budget) {
        settings.time_budget = std::chrono::duration<double>(*file.time_budget).count();
    }
    if (::isatty(STDOUT_FILENO) && !in_mpi_job) {
        return std::make_unique<TerminalView>(stdout, std::move(settings));
    }
    return std::make_unique<LogView>(stdout, std::move(settings));
}

AgentSetup setup_of(const SweepFile& file, const SweepDirectory& directory, const Options& options) {
    AgentSetup setup;
    setup.kind = file.trainer ? WorkerKind::warm_trainer : WorkerKind::program;
    setup.directory = directory.read_run().at("working_directory");
    setup.log = fs::absolute(directory.worker_log()).string();
    setup.slots = {options.slots ? options.slots : file.slots, file.cpus_per_slot, file.bind};
    setup.interface = options.interface;
    setup.hang_timeout = file.hang_timeout;
    return setup;
}

std::unique_ptr<Transport> make_transport(AgentSetup setup, MpiSession* session, const StopSignals& signals) {
    if (session != nullptr && session->size() > 1) {
        return std::make_unique<MpiTransport>(*session, setup, signals);
    }
    if (setup.interface.empty()) {
        setup.interface = loopback;
    }
    return std::make_unique<LocalTransport>(setup.make_agent(NodeId{0}, SlotId{0}, setup.plan()));
}

/// Of the youngest trial that has failed; there is one.
std::string last_failure(const History& history) {
    const auto& trials = history.sweep().trials();
    const auto failed = std::find_if(trials.rbegin(), trials.rend(),
                                     [](const Trial& trial) { return trial.status == TrialStatus::failed; });
    return history.of(failed->id).last_failure;
}

/// "3 trials failed": there may be more where several fail in one turn.
std::string failed_trials(const History& history) {
    const auto count = std::ranges::count_if(history.sweep().trials(),
                                             [](const Trial& trial) { return trial.status == TrialStatus::failed; });
    return count == 1 ? "a trial failed" : fmt::format("{} trials failed", count);
}

/// What a report is, where programs ended well without any.
std::string advice_on_reports(const History& history) {
    if (!last_failure(history).starts_with(no_report)) {
        return {};
    }
    return fmt::format(
        "A program reports by a line of JSON, after each epoch say, to the descriptor whose number is in\n"
        "CRESCENDO_FD, and reads the answer there, which is to continue or to stop:\n\n"
        "  {{\"resource\": 1, \"metrics\": {{\"{}\": 0.31}}}}\n\n"
        "docs/trial-protocol.md has the rest, examples/python/train.py the lines of Python to copy.\n\n",
        history.sweep().spec().metric);
}

/// Two minutes before the end of the batch job that we are in, where its environment says so.
std::optional<double> end_of_job() {
    const auto job = batch_system()->own_job();
    return job && job->end ? std::optional(*job->end - 120.0) : std::nullopt;
}

void print_end(Outcome outcome, const History& history, const SweepDirectory& directory) {
    const auto where = directory.path().string();
    if (outcome == Outcome::interrupted) {
        fmt::print(
            "stopped, to be resumed\n\n  crescendo resume {}     goes on\n  crescendo status {}     shows how far it "
            "is\n",
            where, where);
        return;
    }
    if (outcome == Outcome::hopeless) {
        fmt::print(
            "given up: {}, and none has reported anything; the last one: {}\n\n"
            "{}"
            "  {}/trials/*/trainer.log     has what the trainers said\n"
            "  crescendo resume {} --retry-failed     tries them again, once the cause is fixed, and goes on\n"
            "  crescendo resume {}     goes on with other trials\n",
            failed_trials(history), last_failure(history), advice_on_reports(history), where, where, where);
        return;
    }
    if (outcome == Outcome::failed) {
        fmt::print(
            "every trial failed; the last one: {}\n\n"
            "  {}/trials/*/trainer.log     has what the trainers said\n"
            "  crescendo resume {} --retry-failed     tries them again, once the cause is fixed\n",
            last_failure(history), where, where);
        return;
    }
    fmt::print("\n{}\n", best_text(history, directory, Format::table));
    if (const auto hint = data_wait_hint(history); !hint.empty()) {
        fmt::print("{}\n", hint);
    }
    fmt::print("finished: {}, {} trials in {}\n\n", name_of(*history.sweep().finish_reason()),
               history.sweep().trials().size(), clock_text(history.elapsed()));
    fmt::print("  {}     every trial, its parameters and results\n", directory.results().string());
    fmt::print("  crescendo trials {}     the same as a table\n", where);
    fmt::print("  crescendo best {} --format json     the best configuration, for a program\n", where);
}

ExitCode exit_code(Outcome outcome) {
    switch (outcome) {
        case Outcome::finished:
            return ExitCode::done;
        case Outcome::failed:
        case Outcome::hopeless:
            return ExitCode::failed;
        case Outcome::interrupted:
            return ExitCode::resumable;
    }
    return ExitCode::failed;
}

/// A session of a sweep, from the agent's start to the last line on the screen.
ExitCode work(const SweepFile& file, const SweepDirectory& directory, SweepLock& lock, Journal& journal,
              History& history, const Options& options, MpiSession* session, std::vector<Json> opening = {}) {
    const StopSignals signals;
    Outcome outcome;
    {
        const auto transport = make_transport(setup_of(file, directory, options), session, signals);
        const auto view = make_view(file, session != nullptr);
        outcome = Coordinator(file, directory, journal, history, *transport, *view, &lock, std::move(opening))
                      .run(signals, options.until ? options.until : end_of_job());
        view->update(history, history.last_time());
    }
    write_atomically(directory.results(), trials_table(history).print(Format::csv));
    print_end(outcome, history, directory);
    return exit_code(outcome);
}

void require_whole_step(const MpiSession* session) {
    for (const auto& problem : examine_launcher(num_ranks(session))) {
        throw InvalidInput(fmt::format("{}; {}", problem.observation, problem.remedy));
    }
}

ExitCode run(const Options& options, MpiSession* session) {
    require_whole_step(session);
    const auto file = read_sound_sweep_file(options.file);
    require_interface(options.interface);
    save_timeout_of_environment();  // should one be none, that is said before anything is written
    restart_interval_of_environment();
    const auto path = options.directory.empty() ? fs::path(file.name) : options.directory;
    const auto directory = create_sweep(path, file);
    SweepLock lock(directory);
    auto journal = Journal::open(directory.journal());
    History history(file.spec);
    return work(file, directory, lock, journal, history, options, session);
}

/// What is new since the last session. Throws InvalidInput where something is asked for that leaves nothing to do.
Reopening reopen(const RecordedSweep& recorded, const Options& options) {
    std::vector<Override> settings;
    for (const auto& text : options.settings) {
        settings.push_back(parse_setting(text));
    }
    if (options.run_cap) {
        settings.push_back({"run_cap", std::to_string(*options.run_cap)});
    }
    if (!recorded.frozen) {
        fmt::print("an older crescendo began this sweep: the configurations of its trials are drawn from its file\n");
    }
    Reopening reopening(recorded);
    reopening.set(settings);
    if (options.retry_failed) {
        if (const int num_left = reopening.retry_failed(); num_left > 0) {
            fmt::print("{} failed trials are not tried again: the trials of their rungs were ranked without them\n",
                       num_left);
        }
    }
    const auto& sweep = reopening.sweep();
    const bool was_over = recorded.history.sweep().state() != SweepState::running;
    CRESCENDO_VALIDATE(settings.empty() || !was_over || sweep.state() == SweepState::running, "",
                       "{}: the sweep is over ({}), and with these limits nothing is left to do: {} trials have begun, "
                       "and run_cap is {}; raise run_cap, or the budget that ended it",
                       recorded.directory.path().string(), name_of(*sweep.finish_reason()), sweep.trials().size(),
                       sweep.spec().run_cap ? std::to_string(*sweep.spec().run_cap) : "not given");
    return reopening;
}

ExitCode resume(const Options& options, MpiSession* session) {
    require_whole_step(session);
    require_interface(options.interface);
    const auto directory = SweepDirectory::open(options.directory);
    SweepLock lock(directory);
    if (lock.abandoned_by()) {
        fmt::print("taking over from {}, which ended without saying so\n", *lock.abandoned_by());
    }
    auto recorded = RecordedSweep::recover(directory);
    auto& history = recorded.history;
    const auto reopening = reopen(recorded, options);
    const auto best = history.sweep().best();
    const bool tested = !best || !recorded.file.trainer || (history.test() && history.test()->trial == best);
    const bool was_over = history.sweep().state() != SweepState::running;
    if (was_over && tested && reopening.sweep().state() != SweepState::running) {
        const auto outcome = history.sweep().state() == SweepState::failed ? Outcome::failed : Outcome::finished;
        print_end(outcome, history, directory);
        return exit_code(outcome);
    }
    if (std::getenv(exit_status_variable) != nullptr) {
        note_own_job(directory);
    } else {
        fs::remove(directory.stop_request());
    }
    auto journal = Journal::open(directory.journal(), recorded.end);
    return work(reopening.file(), directory, lock, journal, history, options, session, reopening.records());
}

void add_node_options(CLI::App& command, Options& options) {
    command.add_option("--slots", options.slots, "Workers at a time on a node; default: as the sweep file says")
        ->check(at_least_one());
    command.add_option("--interface", options.interface,
                       "Network interface by which workers meet; default: this node's own, or between nodes the one "
                       "of the default route");
    command.add_option(
        "--until", options.until,
        "Save what runs and stop at this time, in seconds since 1970 as `date +%s` prints them; default: "
        "two minutes before the end of the batch job, where its environment says that");
}

}  // namespace

void add_run_commands(CLI::App& app, ExitCode& code, MpiSession* session) {
    auto options = std::make_shared<Options>();

    auto* run_command =
        app.add_subcommand("run", "Run a sweep from the beginning, on this machine or on all those of an MPI job");
    run_command->add_option("FILE", options->file, "The sweep file (YAML)")->required();
    run_command->add_option("--dir", options->directory, "Folder for its results; default: the sweep's name");
    add_node_options(*run_command, *options);
    run_command->footer("Example:\n  crescendo run sweep.yaml --dir results/first --slots 4\n  " +
                        rank_launcher().on_each_node() + " crescendo run sweep.yaml");
    run_command->callback([options, &code, session] { code = run(*options, session); });

    auto* resume_command =
        app.add_subcommand("resume", "Go on with a sweep that was stopped or killed, or extend one that has ended");
    add_directory_argument(*resume_command, options->directory);
    resume_command->add_option("--run-cap", options->run_cap, "Number of trials from now on; extends a finished sweep")
        ->check(at_least_one());
    resume_command
        ->add_option("--set", options->settings,
                     "KEY=VALUE in place of what the sweep file has; null takes a key away; repeatable. KEY: " +
                         list_of_changeable_keys())
        ->allow_extra_args(false);
    resume_command->add_flag("--retry-failed", options->retry_failed,
                             "Try failed trials again, from their checkpoints where they have one");
    add_node_options(*resume_command, *options);
    resume_command->footer(
        "Example:\n  crescendo resume results/first\n  crescendo resume results/first --run-cap 200 --set "
        "budget.time=12h");
    resume_command->callback([options, &code, session] { code = resume(*options, session); });
}

}  // namespace crescendo::launch
