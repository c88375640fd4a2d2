#pragma once

#include "launch/commands/commands.hpp"

namespace crescendo::launch {

/// Each adds one subcommand to `data`; when it is given, it runs and sets `code`.
void add_data_bench(CLI::App& data, ExitCode& code);
void add_data_convert(CLI::App& data, ExitCode& code);
void add_data_generate(CLI::App& data, ExitCode& code);
void add_data_inspect(CLI::App& data, ExitCode& code);
void add_data_stats(CLI::App& data, ExitCode& code);

}  // namespace crescendo::launch
