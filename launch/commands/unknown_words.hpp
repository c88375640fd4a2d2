#pragma once

#include <CLI/CLI.hpp>

namespace crescendo::launch {

/// Throws InvalidInput, with the nearest that there is, where a command of the line is none that `app` has.
void require_known_commands(const CLI::App& app, int argc, const char* const* argv);

/// The same for the options and words that parsing the line has left over.
void require_known_options(const CLI::App& app);

}  // namespace crescendo::launch
