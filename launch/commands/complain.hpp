#pragma once

#include <exception>
#include <string>

#include "launch/commands/commands.hpp"

namespace crescendo::launch {

struct SweepFile;

/// Says on standard error what ends a command, in place of its progress bar; returns `code`.
ExitCode complain(const std::exception& error, ExitCode code);

/// To be called in a catch clause: the exit code that the exception ends a command with. `of_a_disk` is the one for a
/// disk that is full, or cannot be read: a session may go on later.
ExitCode code_of_error(ExitCode of_a_disk);

/// As code_of_error(), once the error is said.
ExitCode complain(ExitCode of_a_disk = ExitCode::failed);

/// Shows a line to the user beside the command's output.
void remark(const std::string& line);

/// Shows what `auto` and `bayes` mean in the file, and what else it remarks on its sampler. `run` and `validate` show
/// all remarks.
void remark_on_sampler(const SweepFile& file);

}  // namespace crescendo::launch
