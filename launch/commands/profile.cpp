#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/check.hpp"
#include "core/message_json.hpp"
#include "launch/commands/commands.hpp"
#include "launch/commands/complain.hpp"
#include "launch/commands/options.hpp"
#include "launch/commands/validators.hpp"
#include "launch/directory/recorded_sweep.hpp"
#include "launch/directory/warm_start.hpp"
#include "launch/json/value_json.hpp"
#include "launch/process/stop_signals.hpp"
#include "launch/sampling/first_trials.hpp"
#include "launch/sweep_file/check/sweep_check.hpp"
#include "launch/trainers/idle_trainers.hpp"
#include "launch/trainers/trial_work.hpp"
#include "launch/view/step_profile.hpp"

namespace crescendo::launch {
namespace {

namespace fs = std::filesystem;

struct ProfileOptions {
    fs::path target;
    int trial = 0;
    int num_workers = 1;
    std::optional<int> slots;
    std::optional<int> slots_per_gpu;
    double seconds = 5;
    fs::path trace;
    Format format = Format::table;
};

/// A sweep with the trial; the sweep may not have begun.
struct Subject {
    SweepFile file;
    Sweep sweep;
    SweepDirectory directory;
    fs::path working_directory;
};

Subject subject_of(const ProfileOptions& options) {
    if (fs::is_directory(options.target)) {
        const RecordedSweep recorded(options.target);
        return {recorded.file, recorded.history.sweep(), recorded.directory, recorded.directory.working_directory()};
    }
    auto file = read_sound_sweep_file(options.target);
    gather_warm_start(file, remark);
    Sweep sweep = first_trials(file, options.trial + 1, remark);
    SweepDirectory directory(file.name);
    return {std::move(file), std::move(sweep), std::move(directory), fs::current_path()};
}

/// A temporary folder on the disk that holds the sweep's checkpoints. The destructor removes it.
class ScratchFolder {
  public:
    explicit ScratchFolder(fs::path beside) {
        while (!fs::is_directory(beside)) {
            beside = beside.parent_path();
        }
        auto name = (beside / "crescendo-profile-XXXXXX").string();
        CRESCENDO_VALIDATE(::mkdtemp(name.data()) != nullptr, "",
                           "cannot create a folder in {}, where the sweep's checkpoints would go; make it writable",
                           beside.string());
        path_ = name;
    }
    ScratchFolder(const ScratchFolder&) = delete;
    ScratchFolder& operator=(const ScratchFolder&) = delete;
    ~ScratchFolder() {
        std::error_code none;
        fs::remove_all(path_, none);
    }

    const fs::path& path() const { return path_; }

  private:
    fs::path path_;
};

/// The slots of the workers: those that a session of the sweep on this machine would use first.
std::vector<SlotResources> slots_of(const SweepFile& file, const ProfileOptions& options) {
    auto wishes = file.wishes().with(options.slots, options.slots_per_gpu);
    wishes.bind = Binding::automatic;
    auto slots = SlotPlan::make(NodeResources::detect(), wishes).slots;
    CRESCENDO_VALIDATE(std::cmp_less_equal(options.num_workers, slots.size()), "--workers",
                       "{} workers need a slot each, but this machine has {}; add --slots {} for smaller slots",
                       options.num_workers, slots.size(), options.num_workers);
    slots.resize(static_cast<std::size_t>(options.num_workers));
    return slots;
}

/// The batch size that the sweep would use for a trial that grew to `num_workers` workers.
GroupBatch batch_of(const SweepFile& file, int num_workers) {
    const auto policy = file.spec.scheduler.batch;
    const bool grows = policy == BatchPolicy::ladder || policy == BatchPolicy::per_worker;
    return {.multiple = grows ? num_workers : 1};
}

std::string configuration(const Config& config) {
    std::string text;
    for (const auto& [name, value] : config) {
        text += fmt::format("  {}={}", name, launch::to_json(value).dump());
    }
    return text;
}

ExitCode profile(const ProfileOptions& options) {
    const auto subject = subject_of(options);
    const auto& file = subject.file;
    if (!file.trainer) {
        file.source.fail(file.source.has("command") ? "command" : "program",
                         "crescendo cannot see the steps of another program; it profiles models that "
                         "crescendo-trainer trains");
    }
    CRESCENDO_VALIDATE(std::cmp_less(options.trial, subject.sweep.trials().size()), "--trial",
                       "{} has {} trials, numbered from 0; choose one of them", options.target.string(),
                       subject.sweep.trials().size());
    const TrialId trial{options.trial};
    const auto slots = slots_of(file, options);
    if (options.format == Format::table) {
        fmt::print("trial {}:{}\n\n", trial.value, configuration(subject.sweep.trial(trial).config));
        std::fflush(stdout);
    }
    const StopSignals signals;  // everything created from here on is removed, however this ends
    const ScratchFolder scratch(fs::absolute(subject.directory.path()));
    std::vector<Json> orders;
    for (int rank = 0; rank < options.num_workers; ++rank) {
        protocol::Profile order{work_of(trial, subject.sweep, file, subject.directory).join, options.seconds,
                                options.trace.empty() ? "" : fs::absolute(options.trace).string()};
        order.rank = rank;
        order.size = options.num_workers;
        order.batch = batch_of(file, options.num_workers);
        order.directory = scratch.path().string();
        orders.push_back(protocol::write<Json>(order));
    }
    IdleTrainers trainers({.program = ProgramPaths::find().trainer,
                           .directory = subject.working_directory.string(),
                           .slots = slots,
                           .patience = file.supervision.hang_timeout,
                           .is_ended = [&] { return signals.requested() != nullptr; }});
    const auto answer = trainers.ask(orders, protocol::Profiled::name).front();
    fmt::print("{}", profile_text(protocol::read<protocol::Profiled>(answer), options.num_workers, options.format));
    if (!options.trace.empty()) {
        remark(fmt::format("wrote {}; to view it, open https://ui.perfetto.dev or chrome://tracing",
                           options.trace.string()));
    }
    return ExitCode::done;
}

}  // namespace

void add_profile_command(CLI::App& app, ExitCode& code) {
    auto options = std::make_shared<ProfileOptions>();
    auto* command = app.add_subcommand("profile", "Show where the time of a training step goes, and what limits it");
    command->add_option("FILE|DIR", options->target, "A sweep file (YAML), or the directory of a sweep")
        ->required()
        ->check(CLI::ExistingPath);
    command->add_option("--trial", options->trial, "Number of the trial whose configuration is trained")
        ->check(CLI::Range(0, 99'999))
        ->capture_default_str();
    command->add_option("--workers", options->num_workers, "Workers of the trial, all on this machine")
        ->check(at_least_one())
        ->capture_default_str();
    add_slots_options(*command, options->slots, options->slots_per_gpu);
    command->add_option("--seconds", options->seconds, "Approximate seconds for each measurement")
        ->check(CLI::Range(0.01, 3600.0))
        ->capture_default_str();
    command->add_option("--trace", options->trace, "File for a trace of a few steps, for Chrome and Perfetto");
    add_format_option(*command, options->format);
    command->footer(
        "Example:\n"
        "  crescendo profile sweep.yaml --trial 3\n"
        "  crescendo profile results/first --trial 17 --workers 2 --trace steps.json");
    command->callback([options, &code] { code = profile(*options); });
}

}  // namespace crescendo::launch
