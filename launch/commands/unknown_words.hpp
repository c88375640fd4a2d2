#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace crescendo::launch {

/// "--format", "--help": the names of a command's options.
std::vector<std::string> options_of(const CLI::App& command);

/// Throws InvalidInput if the command line has a command that `app` lacks. The message suggests the most similar
/// command.
void require_known_commands(const CLI::App& app, int argc, const char* const* argv);

/// Throws InvalidInput if the parser left over options or words of the command line. The message suggests the most
/// similar option.
void require_known_options(const CLI::App& app);

/// Rethrows a parser's error as InvalidInput, and adds which command's `--help` to read.
[[noreturn]] void refuse(const CLI::App& app, const CLI::ParseError& error);

}  // namespace crescendo::launch
