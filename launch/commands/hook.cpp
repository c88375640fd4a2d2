#include "launch/commands/hook.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>

#include <filesystem>

#include "launch/batch/batch_system.hpp"
#include "launch/commands/complain.hpp"
#include "launch/journal/cost.hpp"
#include "launch/json/json.hpp"
#include "launch/json/value_json.hpp"
#include "launch/json/whole_numbers.hpp"
#include "launch/process/child_process.hpp"
#include "launch/process/stop_signals.hpp"
#include "launch/sweep_file/sections/site_profile.hpp"
#include "launch/system/environment.hpp"
#include "launch/view/progress.hpp"
#include "launch/view/results.hpp"

namespace crescendo::launch {
namespace {

namespace fs = std::filesystem;

/// Runs the command. Returns what went wrong; empty if it succeeded.
std::string problem_of(const ProcessOptions& options) {
    const auto timeout = hook_timeout();
    const StopSignals signals;
    ChildProcess process(options);
    const auto deadline = std::chrono::steady_clock::now() + timeout;
    while (!process.try_wait()) {
        if (signals.requested() != nullptr) {
            return fmt::format("killed by {}", signals.requested());
        }
        if (std::chrono::steady_clock::now() >= deadline) {
            return fmt::format("killed after {} s; to allow more, set CRESCENDO_HOOK_TIMEOUT", timeout.count());
        }
        constexpr int milliseconds_between_looks_at_signals = 100;
        pollfd ended{process.exit_descriptor().get(), POLLIN, 0};
        ::poll(&ended, 1, milliseconds_between_looks_at_signals);
    }
    const auto status = *process.try_wait();
    return status.success() ? "" : to_string(status);
}

/// The log file for the command's output; empty, for our own output, if the file cannot be created.
std::string log_of(const SweepDirectory& directory) {
    auto log = directory.hook_log().string();
    return FileDescriptor(::open(log.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0666)) ? log : "";
}

}  // namespace

std::chrono::seconds hook_timeout() {
    return seconds_of_environment("CRESCENDO_HOOK_TIMEOUT", std::chrono::seconds(60));
}

std::vector<std::pair<std::string, std::string>> environment_of_hook(const SessionEnding& ending, const SweepFile& file,
                                                                     const SweepDirectory& directory,
                                                                     const History& history) {
    const auto& sweep = history.sweep();
    const auto where = fs::absolute(directory.path()).lexically_normal();
    std::vector<std::pair<std::string, std::string>> variables{
        {"CRESCENDO_SWEEP", file.name},
        {"CRESCENDO_SWEEP_DIR", where.string()},
        {"CRESCENDO_OUTCOME", ending.outcome},
        {"CRESCENDO_REASON", ending.reason},
        {"CRESCENDO_EXIT_CODE", std::to_string(static_cast<int>(ending.code))},
        {"CRESCENDO_TRIALS", std::to_string(num_begun(sweep))},
        {"CRESCENDO_FAILED_TRIALS", std::to_string(sweep.count(TrialStatus::failed))},
        {"CRESCENDO_SECONDS", fmt::format("{:.0f}", history.elapsed())},
        {"CRESCENDO_SLOT_HOURS", fmt::format("{:.6g}", history.slot_seconds() / 3600)},
        {"CRESCENDO_METRIC", sweep.spec().metric}};
    if (const auto price = price_of_slot_hour(file.price, history)) {
        variables.emplace_back("CRESCENDO_COST", fmt::format("{:.6g}", history.slot_seconds() / 3600 * *price));
    }
    if (const auto best = sweep.best()) {
        const auto& trial = sweep.trial(*best);
        variables.emplace_back("CRESCENDO_BEST_TRIAL", std::to_string(best->value));
        variables.emplace_back("CRESCENDO_BEST_VALUE", fmt::format("{}", best_value(sweep, *best)));
        variables.emplace_back("CRESCENDO_BEST_CONFIG",
                               one_line(launch::to_json(with_whole_numbers(trial.config, sweep.spec().space))));
        if (const auto& test = history.test(); test && test->trial == best) {
            variables.emplace_back("CRESCENDO_BEST_TEST", one_line(launch::to_json(test->metrics)));
        }
    }
    return variables;
}

void run_hook(const SessionEnding& ending, const SweepFile& file, const SweepDirectory& directory,
              const History& history) {
    const bool is_good = ending.outcome == "finished";
    const auto* key = is_good ? "on_finish" : "on_failure";
    const auto of = [&](const Hooks& hooks) { return is_good ? hooks.on_finish : hooks.on_failure; };
    try {
        auto command = of(file.hooks);
        if (command.empty()) {
            command = of(hooks_of_site());
        }
        if (command.empty()) {
            return;
        }
        ProcessOptions options;
        options.command = command;
        options.environment = environment_of_hook(ending, file, directory, history);
        // The hook may continue the sweep. It is then a single process, although we are a rank of several.
        options.hides = variables_of_ranks();
        options.log = log_of(directory);
        options.has_socket = false;  // a hook is not a trial, even if its program is also a trial's
        if (const auto problem = problem_of(options); !problem.empty()) {
            remark(fmt::format("warning: {}: `{}`: {}; {}", key, command.front(), problem,
                               options.log.empty() ? "its output went to this terminal"
                                                   : fmt::format("its output is in {}", options.log)));
        }
    } catch (const std::exception& error) {
        remark(fmt::format("warning: {}: {}", key, error.what()));
    }
}

}  // namespace crescendo::launch
