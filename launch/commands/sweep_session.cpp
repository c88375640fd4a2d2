#include "launch/commands/sweep_session.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <memory>
#include <utility>

#include "core/check.hpp"
#include "core/files/durable_file.hpp"
#include "core/number_from.hpp"
#include "launch/agent/agent_setup.hpp"
#include "launch/batch/batch_system.hpp"
#include "launch/commands/complain.hpp"
#include "launch/commands/hook.hpp"
#include "launch/commands/sweep_end.hpp"
#include "launch/commands/validators.hpp"
#include "launch/directory/new_sweep.hpp"
#include "launch/directory/sweep_lock.hpp"
#include "launch/doctor/examinations.hpp"
#include "launch/journal/cost.hpp"
#include "launch/journal/directory_error.hpp"
#include "launch/process/job_script_variables.hpp"
#include "launch/slots/node_resources.hpp"
#include "launch/sweep_file/command/command_macros.hpp"
#include "launch/system/wall_clock.hpp"
#include "launch/transport/launched.hpp"
#include "launch/transport/local_transport.hpp"
#include "launch/transport/mpi_transport.hpp"
#include "launch/transport/network.hpp"
#include "launch/view/trials_table.hpp"
#include "scheduler/slots/slot_pool.hpp"

namespace crescendo::launch {
namespace {

/// In an MPI job, uses plain lines, because mpirun gives its processes a terminal even if its own output goes
/// elsewhere.
std::unique_ptr<LiveView> make_view(const SweepFile& file, bool in_mpi_job) {
    ViewSettings settings{file.name, file.time_budget_seconds()};
    if (::isatty(STDOUT_FILENO) && !in_mpi_job) {
        return std::make_unique<TerminalView>(stdout, std::move(settings));
    }
    return std::make_unique<LogView>(stdout, std::move(settings));
}

/// Accepts a number, or the word `all`, which becomes 0.
CLI::Validator number_of_slots() {
    const auto read = [number = at_least_one()](std::string& text) {
        if (text == "all") {
            text = "0";
            return std::string();
        }
        const std::string problem = number(text);
        return problem.empty() ? problem : problem + ", nor `all`";
    };
    return {read, "POSITIVE or all"};
}

SlotPlan::Wishes wishes_of(const SessionOptions& options, const SweepFile& file) {
    auto wishes = file.wishes().with(options.slots, options.slots_per_gpu);
    if (options.slots == 0) {
        wishes.slots.reset();
    }
    return wishes;
}

/// A remark only, because one sweep file may be used on nodes with and without GPUs.
void remark_on_missing_gpus(const SlotPlan::Wishes& wishes) {
    if (wishes.slots_per_gpu > 1 && !wishes.slots && find_gpus().empty()) {
        remark(fmt::format(
            "note: slots_per_gpu is {}, but this node has no GPU; its slots are cores, as without slots_per_gpu",
            wishes.slots_per_gpu));
    }
}

void remark_on_binding() {
    if (const auto binding = binding_of_launcher(); !binding.empty()) {
        remark(fmt::format("note: {}; add --bind-to none to the mpirun command", binding));
    }
}

/// Not in the job script, which itself launches on all nodes that its job still has.
void remark_on_idle_nodes(const MpiSession* session) {
    if (std::getenv(exit_status_variable) != nullptr) {
        return;
    }
    for (const auto& finding : examine_job(num_ranks(session), *batch_system())) {
        if (finding.verdict == Verdict::warning) {
            remark(fmt::format("note: {}; start it with `{}`", finding.observation, finding.remedy));
        }
    }
}

/// Warns that trials will train differently than the file says: the sweep does not wait for slots that may never come.
void remark_on_missing_slots(const SchedulerSpec& scheduler, const std::vector<Slot>& slots) {
    SlotPool pool(scheduler.distinct_gpus == Switch::on);
    std::ranges::for_each(slots, [&](const Slot& slot) { pool.join(slot); });
    const int most = pool.most_of_group();
    const bool has_shared_gpus = most < pool.size();
    if (scheduler.workers > most) {
        remark(fmt::format("note: scheduler.workers is {}, but there {} {} {}{}{}; trials start with {}",
                           scheduler.workers, most == 1 ? "is" : "are", most, has_shared_gpus ? "GPU" : "slot",
                           most == 1 ? "" : "s", has_shared_gpus ? " for a trial's workers" : "", most));
    } else if (has_shared_gpus && scheduler.kind == SchedulerKind::rasda &&
               scheduler.max_workers.value_or(most + 1) > most) {
        remark(
            fmt::format("note: slots share GPUs, but a trial's workers must not (scheduler.distinct_gpus); trials {}",
                        most == 1 ? "keep one worker" : fmt::format("grow to at most {} workers", most)));
    }
}

AgentSetup setup_of(const SweepFile& file, const SweepDirectory& directory, const SessionOptions& options) {
    AgentSetup setup;
    setup.kind = file.has_warm_trainers() ? WorkerKind::warm_trainer : WorkerKind::program;
    if (file.grow == GrowMode::in_place) {
        setup.trainer = expand_shared_command(*file.command, file.program);
    }
    setup.directory = directory.working_directory();
    setup.log = std::filesystem::absolute(directory.worker_log()).string();
    setup.slots = wishes_of(options, file);
    setup.interface = options.interface;
    setup.supervision = file.supervision;
    return setup;
}

std::unique_ptr<Transport> make_transport(AgentSetup setup, MpiSession* session, const StopSignals& signals) {
    if (session != nullptr && session->size() > 1) {
        auto transport = std::make_unique<MpiTransport>(*session, setup, signals);
        if (!transport->crowding().empty()) {
            remark(fmt::format("note: {}; {}", transport->crowding(), advice_on_crowding()));
        }
        return transport;
    }
    if (setup.interface.empty()) {
        setup.interface = loopback;
    }
    return std::make_unique<LocalTransport>(setup.make_agent(NodeId{0}, SlotId{0}, setup.plan()));
}

/// When the session must end: the user's time, else some time before the end of our batch job, if its environment gives
/// that end. The user's time is fixed, but the end of a job may move.
std::optional<SessionEnd::Deadline> deadline_of(const SessionOptions& options) {
    const auto job = batch_system()->own_job();
    const char* lead_of_script = std::getenv(lead_variable);
    if (options.until && (!job || lead_of_script == nullptr)) {
        return SessionEnd::Deadline{*options.until};
    }
    if (!options.until && !(job && job->end)) {
        return {};
    }
    const auto lead = number_from<int>(lead_of_script != nullptr ? lead_of_script : "").value_or(120);
    const auto ask = [id = job->id, lead]() -> std::optional<double> {
        const auto left = batch_system()->time_left(id);
        return left ? std::optional(wall_clock() + static_cast<double>(left->count() - lead)) : std::nullopt;
    };
    return SessionEnd::Deadline{options.until ? *options.until : *job->end - lead, ask};
}

/// Trains until the sweep ends or must stop, and writes the table of its trials.
Outcome run_to_end(const OpenSweep& sweep, const SessionOptions& options, MpiSession* session,
                   std::vector<Json> opening) try {
    const StopSignals signals(
        fmt::format("ended at once; `{}` continues from the last checkpoints", sweep.directory.way_to_continue()));
    Outcome outcome;
    {
        const auto setup = setup_of(sweep.file, sweep.directory, options);
        remark_on_missing_gpus(setup.slots);
        remark_on_binding();
        remark_on_idle_nodes(session);
        const auto transport = make_transport(setup, session, signals);
        remark_on_missing_slots(sweep.file.spec.scheduler, transport->slots());
        const auto view = make_view(sweep.file, session != nullptr);
        outcome = Coordinator(sweep, *transport, *view, std::move(opening)).run(signals, deadline_of(options));
        view->update(sweep.history, sweep.history.last_time());
    }
    auto seen = sweep.history;
    if (outcome == Outcome::interrupted || outcome == Outcome::hopeless) {
        seen.interrupt();
    }
    write_results(sweep.file, seen, sweep.directory);
    return outcome;
} catch (const WriteError& error) {
    throw DirectoryError(error);
}

}  // namespace

void add_session_options(CLI::App& command, SessionOptions& options) {
    auto* slots =
        command
            .add_option("--slots", options.slots,
                        "Number of workers per node, or `all` for all its slots; default: that of the sweep file")
            ->transform(number_of_slots());
    command
        .add_option("--slots-per-gpu", options.slots_per_gpu,
                    "Number of workers that share a GPU; default: that of the sweep file, else 1")
        ->check(at_least_one())
        ->excludes(slots);
    command.add_option("--interface", options.interface,
                       "Network interface between workers; default: loopback on one node, that of the default route "
                       "between nodes");
    command.add_option("--until", options.until,
                       "Save running trials and stop at this time, in seconds since 1970 (`date +%s`); default: two "
                       "minutes before the end of the batch job, if known");
}

void require_sound_start(const SessionOptions& options, const MpiSession* session) {
    for (const auto& problem : examine_launcher(num_ranks(session))) {
        throw InvalidInput(fmt::format("{}; {}", problem.observation, problem.remedy));
    }
    require_interface(options.interface);
    hook_timeout();
}

ExitCode run_session(const OpenSweep& sweep, const SessionOptions& options, MpiSession* session,
                     std::vector<Json> opening) {
    Outcome outcome;
    try {
        outcome = run_to_end(sweep, options, session, std::move(opening));
    } catch (const std::exception& error) {
        sweep.lock->release();
        run_hook({"error", error.what(), code_of_error(ExitCode::resumable)}, sweep.file, sweep.directory,
                 sweep.history);
        throw;
    }
    const auto code = report_end(outcome, sweep.file, sweep.history, sweep.directory);
    std::fflush(stdout);  // a hook may take a while
    sweep.lock->release();  // the hook may continue this sweep
    if (outcome != Outcome::interrupted) {
        run_hook({outcome == Outcome::finished ? "finished" : "failed", reason_of(outcome, sweep.history), code},
                 sweep.file, sweep.directory, sweep.history);
    }
    return code;
}

ExitCode begin_sweep(const SweepFile& file, const std::filesystem::path& directory, const SessionOptions& options,
                     MpiSession* session) {
    save_timeout_of_environment();  // checked first: an invalid variable throws before anything is written
    restart_interval_of_environment();
    const auto created = create_sweep(directory, file);
    SweepLock lock(created);
    auto journal = Journal::open(created.journal());
    History history(file.spec);
    return run_session({file, created, journal, history, &lock}, options, session);
}

void write_results(const SweepFile& file, const History& history, const SweepDirectory& directory) try {
    const auto price = price_of_slot_hour(file.price, history);
    replace_file(directory.results(), trials_table(history, price).print(Format::csv));
} catch (const WriteError& error) {
    throw DirectoryError(error);
}

}  // namespace crescendo::launch
