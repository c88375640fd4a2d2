#pragma once

#include <chrono>
#include <string>
#include <utility>
#include <vector>

#include "launch/commands/commands.hpp"
#include "launch/directory/sweep_directory.hpp"
#include "launch/journal/history.hpp"
#include "launch/sweep_file/sweep_file.hpp"

namespace crescendo::launch {

/// How a session ended, for the command of a hook.
struct SessionEnding {
    std::string outcome;  ///< "finished", "failed", or "error": the session itself could not continue
    std::string reason;   ///< "all trials are done", or an error's message
    ExitCode code;
};

/// Runs the command of `on_finish` or `on_failure`: the sweep file's if it has one, else the site profile's. Never
/// throws: a failing hook is reported on standard error and changes nothing. A command that takes longer than
/// hook_timeout() is killed.
void run_hook(const SessionEnding& ending, const SweepFile& file, const SweepDirectory& directory,
              const History& history);

/// The environment variables for a hook's command: names that begin with CRESCENDO_, and their values.
std::vector<std::pair<std::string, std::string>> environment_of_hook(const SessionEnding& ending, const SweepFile& file,
                                                                     const SweepDirectory& directory,
                                                                     const History& history);

/// How long a hook may take: CRESCENDO_HOOK_TIMEOUT seconds, or 60. Throws InvalidInput if the variable is not a
/// number.
std::chrono::seconds hook_timeout();

}  // namespace crescendo::launch
