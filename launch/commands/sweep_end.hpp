#pragma once

#include <string>

#include "launch/commands/commands.hpp"
#include "launch/coordinator/coordinator.hpp"

namespace crescendo::launch {

/// Prints how a sweep ended, and what the user can do next. Returns the exit code.
ExitCode report_end(Outcome outcome, const SweepFile& file, const History& history, const SweepDirectory& directory);

/// Why a session ended the sweep, in a few words. Empty if the session was interrupted.
std::string reason_of(Outcome outcome, const History& history);

}  // namespace crescendo::launch
