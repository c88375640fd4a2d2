#pragma once

#include <CLI/CLI.hpp>

#include <filesystem>
#include <string>

#include "launch/batch/batch_system.hpp"
#include "launch/view/table.hpp"

namespace crescendo::launch {

class MpiSession;  ///< null unless a launcher of MPI programs started us

/// Exit codes of every command.
enum class ExitCode { done = 0, failed = 1, bad_input = 2, resumable = 75 };

/// That MPI knows of; 1 without it.
int num_ranks(const MpiSession* session);

/// How the batch system starts ranks that learn of each other: it depends on the MPI that we were built with.
RankLauncher rank_launcher();

/// What has to start tasks that are to learn of each other, for messages.
std::string launch_advice();

/// Each adds its commands to the command line; when one is given, it runs and sets `code`.
void add_run_commands(CLI::App& app, ExitCode& code, MpiSession* session);  // run, resume
void add_doctor_command(CLI::App& app, ExitCode& code, MpiSession* session);
void add_report_commands(CLI::App& app, ExitCode& code);  // status, trials, best
void add_top_command(CLI::App& app, ExitCode& code);
void add_submit_command(CLI::App& app, ExitCode& code);
void add_stop_command(CLI::App& app, ExitCode& code);
void add_validate_command(CLI::App& app, ExitCode& code);
void add_ask_tell_command(CLI::App& app, ExitCode& code);
void add_simulate_command(CLI::App& app, ExitCode& code);
void add_compare_command(CLI::App& app, ExitCode& code);
void add_data_commands(CLI::App& app, ExitCode& code);  // data/commands.hpp

/// `--format table|json|csv`
void add_format_option(CLI::App& command, Format& format);

/// The DIR argument of the commands about an existing sweep.
void add_directory_argument(CLI::App& command, std::filesystem::path& directory);

}  // namespace crescendo::launch
