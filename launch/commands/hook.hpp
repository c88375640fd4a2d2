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

/// How a session ended, as the command of a hook learns it.
struct SessionEnding {
    std::string outcome;  ///< "finished", "failed", or "error": the session itself could not continue
    std::string reason;   ///< "all trials are done", or an error's message
    ExitCode code;
};

/// Runs the command of `on_finish` or `on_failure`, if the sweep's file has one, else that of the site profile. What
/// goes wrong with it is said on standard error and changes nothing: it never throws, and a command that takes longer
/// than hook_timeout() is killed.
void run_hook(const SessionEnding& ending, const SweepFile& file, const SweepDirectory& directory,
              const History& history);

/// What that command finds in its environment: names that begin with CRESCENDO_, and values.
std::vector<std::pair<std::string, std::string>> environment_of_hook(const SessionEnding& ending, const SweepFile& file,
                                                                     const SweepDirectory& directory,
                                                                     const History& history);

/// How long a hook may take: CRESCENDO_HOOK_TIMEOUT seconds, or 60. Throws InvalidInput if the variable is no number.
std::chrono::seconds hook_timeout();

}  // namespace crescendo::launch
