#pragma once

#include <functional>
#include <string>
#include <vector>

#include "launch/commands/commands.hpp"

namespace crescendo::datasets {
enum class MissingSources;
struct WriteOptions;
}  // namespace crescendo::datasets

namespace crescendo::launch {

/// Each function adds one subcommand to `data`. If the user gives it, it runs and sets `code`.
void add_data_bench(CLI::App& data, ExitCode& code);
void add_data_convert(CLI::App& data, ExitCode& code);
void add_data_generate(CLI::App& data, ExitCode& code);
void add_data_inspect(CLI::App& data, ExitCode& code);
void add_data_rechunk(CLI::App& data, ExitCode& code);
void add_data_stats(CLI::App& data, ExitCode& code);

/// `--chunk`, `--compress` and `--align`, and a progress bar that counts `unit`.
void add_write_options(CLI::App& command, datasets::WriteOptions& options, const std::string& unit);

/// `--data-sets`, a list of names of data sets, or of parts of their rows. `names` must outlive the command.
void add_data_sets_option(CLI::App& command, std::vector<std::string>& names, const std::string& description);

/// `--missing-sources error|fill`, for virtual data sets.
void add_missing_sources_option(CLI::App& command, datasets::MissingSources& missing);

/// Runs `work`, which reads `files` of unknown origin, in a child process. If HDF5's library crashes on them, this
/// process reports the crash and names `files`. Returns what `work` returns, or ends as `work` ends.
ExitCode read_foreign(const std::string& files, const std::function<ExitCode()>& work);

/// Runs `work`, which writes to `location` (FILE:/GROUP). An existing file may be foreign, so then `work` runs as in
/// read_foreign().
ExitCode add_to_foreign(const std::string& location, const std::function<ExitCode()>& work);

/// Runs `work` so that Ctrl-C, SIGTERM or SIGHUP ends it at its next call of end_if_interrupted(), and it can remove
/// half-written files. Then the signal ends the process. A second signal ends it at once.
ExitCode interruptible(const std::function<ExitCode()>& work);

/// Throws if a signal has arrived during interruptible(). May be called from any thread.
void end_if_interrupted();

}  // namespace crescendo::launch
