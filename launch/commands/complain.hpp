#pragma once

#include <exception>
#include <string>

#include "launch/commands/commands.hpp"

namespace crescendo::launch {

struct SweepFile;

/// Prints the error that ends a command on standard error, over its progress bar. Returns `code`.
ExitCode complain(const std::exception& error, ExitCode code);

/// Returns the exit code for the exception that is being handled; call it in a catch clause. `of_a_disk` is the exit
/// code if a disk is full or cannot be read: a session may continue later.
ExitCode code_of_error(ExitCode of_a_disk);

/// Prints the exception that is being handled on standard error, and returns its exit code, as code_of_error() does.
/// Call it in a catch clause.
ExitCode complain(ExitCode of_a_disk = ExitCode::failed);

/// Prints a line for the user on standard error, apart from the command's output.
void remark(const std::string& line);

/// Shows the file's remarks on its sampler, such as what `auto` or `bayes` means for it. `run` and `validate` show all
/// remarks.
void remark_on_sampler(const SweepFile& file);

}  // namespace crescendo::launch
