#include <fmt/format.h>

#include <chrono>
#include <fstream>
#include <memory>
#include <thread>

#include "launch/commands/commands.hpp"
#include "launch/sweep_directory.hpp"

namespace crescendo::launch {
namespace {

/// Asks by a file, which reaches a coordinator on any node that shares the file system.
ExitCode stop(const std::filesystem::path& path) {
    const auto directory = SweepDirectory::open(path);
    const auto holder = SweepLock::holder(directory);
    if (!holder) {
        fmt::print("no process is at work in {}: nothing to stop\n", path.string());
        return ExitCode::done;
    }
    write_atomically(directory.stop_request(), "");
    fmt::print("asked {} to save what runs and stop\n", *holder);
    std::fflush(stdout);
    while (SweepLock::holder(directory)) {
        std::this_thread::sleep_for(std::chrono::milliseconds(100));
    }
    std::filesystem::remove(directory.stop_request());
    fmt::print("stopped; `crescendo resume {}` goes on\n", path.string());
    return ExitCode::done;
}

}  // namespace

void add_stop_command(CLI::App& app, ExitCode& code) {
    auto directory = std::make_shared<std::filesystem::path>();
    auto* command = app.add_subcommand("stop", "Stop a running sweep so that it can be resumed");
    add_directory_argument(*command, *directory);
    command->footer("Example:\n  crescendo stop results/first");
    command->callback([directory, &code] { code = stop(*directory); });
}

}  // namespace crescendo::launch
