#include <fmt/format.h>

#include <chrono>
#include <memory>
#include <thread>
#include <utility>

#include "core/files/durable_file.hpp"
#include "launch/commands/commands.hpp"
#include "launch/commands/options.hpp"
#include "launch/commands/steer.hpp"
#include "launch/commands/validators.hpp"
#include "launch/directory/standing.hpp"
#include "launch/directory/sweep_lock.hpp"
#include "launch/files/read_file.hpp"
#include "launch/journal/directory_error.hpp"

namespace crescendo::launch {
namespace {

struct StopOptions {
    std::filesystem::path directory;
    std::vector<int> trials;
};

void take_job_back(const SweepDirectory& directory) {
    const std::string job = directory.job();
    batch_system()->cancel(job);
    fmt::print("cancelled job {}, which was queued\n", job);
}

void write_request(const SweepDirectory& directory) try {
    replace_file(directory.stop_request(), "stop\n");
} catch (const WriteError& error) {
    cannot_open(directory.stop_request(), error.code().value());
}

/// Keeps the request in place until the coordinator and the job are gone: a starting coordinator removes it, and a job
/// script may be about to start one.
void request_until_gone(const SweepDirectory& directory) {
    // With a batch system, each look may be a query to it.
    const std::chrono::milliseconds between_looks(batch_system()->is_installed() ? 1000 : 100);
    for (bool is_told = false;;) {
        if (!is_there(directory.stop_request())) {
            write_request(directory);
        }
        if (SweepLock::holder(directory)) {
            std::this_thread::sleep_for(between_looks);
            continue;
        }
        const auto job = state_of_job(directory);
        if (job == JobState::gone) {
            return;
        }
        if (job == JobState::queued) {
            take_job_back(directory);
        } else if (!job && !std::exchange(is_told, true)) {
            fmt::print(
                "{} does not report whether job {} is over; waiting until it does, with the stop request in place\n",
                batch_system()->name(), directory.job());
            std::fflush(stdout);
        }
        std::this_thread::sleep_for(between_looks);
    }
}

/// Requests the stop by a file, which reaches a coordinator on any node that shares the file system.
ExitCode stop(const std::filesystem::path& path) {
    const auto directory = SweepDirectory::open(path);
    const auto holder = SweepLock::holder(directory);
    const auto job = state_of_job(directory);
    if (!holder && job == JobState::gone) {
        fmt::print("no process is working on {}; there is nothing to stop\n", path.string());
        return ExitCode::done;
    }
    if (!holder && job == JobState::queued) {
        take_job_back(directory);
        return ExitCode::done;
    }
    write_request(directory);
    if (!holder && !job) {
        require_state_of_job(directory, "so the stop request stays: a job that starts later ends at once");
    }
    fmt::print("asked {} to save its trials and stop\n", holder.value_or(fmt::format("job {}", directory.job())));
    std::fflush(stdout);
    request_until_gone(directory);
    std::filesystem::remove(directory.stop_request());
    fmt::print("stopped; `{}` continues it\n", directory.way_to_continue());
    return ExitCode::done;
}

}  // namespace

void add_stop_command(CLI::App& app, ExitCode& code) {
    auto options = std::make_shared<StopOptions>();
    auto* command = app.add_subcommand("stop", "Stop a running sweep so that it can be resumed, or end some trials");
    add_directory_argument(*command, options->directory);
    command->add_option("TRIAL", options->trials, "End these trials for good; the others continue")->check(at_least(0));
    command->footer("Example:\n  crescendo stop results/first\n  crescendo stop results/first 17 18");
    command->callback([options, &code] {
        code = options->trials.empty() ? stop(options->directory)
                                       : ask_for_each<StopRequest>(options->directory, options->trials);
    });
}

}  // namespace crescendo::launch
