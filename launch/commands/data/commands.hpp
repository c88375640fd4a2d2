#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "launch/commands/commands.hpp"

namespace crescendo::datasets {
struct WriteOptions;
}

namespace crescendo::launch {

/// Each adds one subcommand to `data`; when it is given, it runs and sets `code`.
void add_data_bench(CLI::App& data, ExitCode& code);
void add_data_convert(CLI::App& data, ExitCode& code);
void add_data_generate(CLI::App& data, ExitCode& code);
void add_data_inspect(CLI::App& data, ExitCode& code);
void add_data_rechunk(CLI::App& data, ExitCode& code);
void add_data_stats(CLI::App& data, ExitCode& code);

/// `--chunk` and `--compress`, and a progress bar on the terminal that counts `unit`: "samples", "bytes".
void add_write_options(CLI::App& command, datasets::WriteOptions& options, const std::string& unit);

}  // namespace crescendo::launch
