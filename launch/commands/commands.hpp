#pragma once

#include <CLI/CLI.hpp>

namespace crescendo::launch {

class MpiSession;  ///< every pointer to it here is null unless an MPI launcher started this process

/// Exit codes of every command.
enum class ExitCode { done = 0, failed = 1, bad_input = 2, resumable = 75 };

// Each function adds one verb to the command line. If the user gives that verb, it runs and sets `code`. The source
// file of a verb has the verb's name.

void add_ask_tell_command(CLI::App& app, ExitCode& code);
void add_best_command(CLI::App& app, ExitCode& code);
void add_clean_command(CLI::App& app, ExitCode& code);
void add_compare_command(CLI::App& app, ExitCode& code);
void add_completion_command(CLI::App& app, ExitCode& code);
void add_data_commands(CLI::App& app, ExitCode& code);  // data/commands.hpp
void add_doctor_command(CLI::App& app, ExitCode& code, MpiSession* session);
void add_enqueue_command(CLI::App& app, ExitCode& code);
void add_export_command(CLI::App& app, ExitCode& code);
void add_import_command(CLI::App& app, ExitCode& code);
void add_latency_command(CLI::App& app, ExitCode& code);
void add_list_command(CLI::App& app, ExitCode& code);
void add_logs_command(CLI::App& app, ExitCode& code);
void add_note_command(CLI::App& app, ExitCode& code);
void add_profile_command(CLI::App& app, ExitCode& code);
void add_report_command(CLI::App& app, ExitCode& code);
void add_resume_command(CLI::App& app, ExitCode& code, MpiSession* session);
void add_retrain_command(CLI::App& app, ExitCode& code, MpiSession* session);
void add_retry_command(CLI::App& app, ExitCode& code);
void add_run_command(CLI::App& app, ExitCode& code, MpiSession* session);
void add_set_command(CLI::App& app, ExitCode& code);
void add_simulate_command(CLI::App& app, ExitCode& code);
void add_status_command(CLI::App& app, ExitCode& code);
void add_stop_command(CLI::App& app, ExitCode& code);
void add_pause_command(CLI::App& app, ExitCode& code);
void add_submit_command(CLI::App& app, ExitCode& code);
void add_tag_command(CLI::App& app, ExitCode& code);
void add_top_command(CLI::App& app, ExitCode& code);
void add_trial_command(CLI::App& app, ExitCode& code);
void add_trials_command(CLI::App& app, ExitCode& code);
void add_validate_command(CLI::App& app, ExitCode& code);

}  // namespace crescendo::launch
