#pragma once

#include <CLI/CLI.hpp>

namespace crescendo::launch {

/// Throws InvalidInput if the command line has a command that `app` lacks. The message names the nearest command that
/// exists.
void require_known_commands(const CLI::App& app, int argc, const char* const* argv);

/// Throws InvalidInput if parsing left over options or words of the command line. The message names the nearest option
/// that exists.
void require_known_options(const CLI::App& app);

/// Throws what CLI says of the command line as InvalidInput, with the command whose help says more.
[[noreturn]] void refuse(const CLI::App& app, const CLI::ParseError& error);

}  // namespace crescendo::launch
