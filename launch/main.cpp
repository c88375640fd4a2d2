#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "launch/batch/batch_system.hpp"
#include "launch/commands/commands.hpp"
#include "launch/commands/complain.hpp"
#include "launch/commands/unknown_words.hpp"
#include "launch/directory/sweep_directory.hpp"
#include "launch/display/wrapped_help.hpp"
#include "launch/doctor/nodes.hpp"
#include "launch/process/job_script_variables.hpp"
#include "launch/process/standard_streams.hpp"
#include "launch/system/terminal.hpp"
#include "launch/transport/mpi_transport.hpp"

using namespace crescendo;
using namespace crescendo::launch;

namespace {

constexpr const char* footer =
    "Example:\n"
    "  crescendo run sweep.yaml\n"
    "\n"
    "Exit codes: 0 done; 1 failed; 2 bad input; 75 stopped early, `crescendo resume` continues it.\n"
    "`crescendo COMMAND --help` describes a command.";

/// Whether the command trains, so that the work it began can continue later.
bool is_session(const CLI::App& app) {
    constexpr std::array names{"run", "resume", "retrain"};
    return std::ranges::any_of(names, [&](const char* name) { return app.got_subcommand(name); });
}

/// Turns `crescendo help run` into `crescendo run --help`.
std::vector<const char*> with_help_as_an_option(int argc, char** argv) {
    std::vector<const char*> words(argv, argv + argc);
    if (argc > 1 && words[1] == std::string_view("help")) {
        words.erase(words.begin() + 1);
        words.push_back("--help");
    }
    return words;
}

/// The text of `--help`, wrapped to the terminal's width if it goes to one.
class Help : public CLI::Formatter {
  public:
    std::string make_help(const CLI::App* app, std::string name, CLI::AppFormatMode mode) const override {
        return wrapped_help(Formatter::make_help(app, std::move(name), mode), terminal_columns(stdout, 100'000));
    }
};

int run_command(int argc, char** argv, MpiSession* session) {
    CLI::App app{"Crescendo: hyperparameter optimization on HPC systems"};
    app.formatter(std::make_shared<Help>());
    app.footer(footer);
    app.set_version_flag("--version", "crescendo " CRESCENDO_VERSION);
    app.require_subcommand(1);
    ExitCode code = ExitCode::done;
    add_run_command(app, code, session);
    add_resume_command(app, code, session);
    add_status_command(app, code);
    add_list_command(app, code);
    add_trials_command(app, code);
    add_trial_command(app, code);
    add_logs_command(app, code);
    add_best_command(app, code);
    add_retrain_command(app, code, session);
    add_latency_command(app, code);
    add_top_command(app, code);
    add_submit_command(app, code);
    add_stop_command(app, code);
    add_pause_command(app, code);
    add_enqueue_command(app, code);
    add_set_command(app, code);
    add_retry_command(app, code);
    add_note_command(app, code);
    add_tag_command(app, code);
    add_validate_command(app, code);
    add_profile_command(app, code);
    add_doctor_command(app, code, session);
    add_ask_tell_command(app, code);
    add_simulate_command(app, code);
    add_compare_command(app, code);
    add_clean_command(app, code);
    add_report_command(app, code);
    add_export_command(app, code);
    add_import_command(app, code);
    add_data_commands(app, code);
    add_completion_command(app, code);

    try {
        const auto words = with_help_as_an_option(argc, argv);
        require_known_commands(app, argc, words.data());
        try {
            app.parse(argc, words.data());
        } catch (const CLI::ParseError& error) {
            const bool asked = error.get_exit_code() == 0;  // --help, --version
            if (!asked) {
                require_known_options(app);
                refuse(app, error);
            }
            return app.exit(error);
        }
    } catch (...) {
        return static_cast<int>(complain(is_session(app) ? ExitCode::resumable : ExitCode::failed));
    }
    return static_cast<int>(code);
}

/// Reports rank 0's exit code to the job script, because the launcher's own status mixes those of all ranks. Returns
/// `code`.
int tell_job_script(std::string_view command, int code) {
    const char* file = std::getenv(exit_status_variable);
    if (file != nullptr && (command == "run" || command == "resume")) {
        std::ofstream(file) << code << '\n';
    }
    return code;
}

/// Called when rank 0 seems to be gone: if the job script is gone too, rescues the job.
void rescue_job(int rank) {
    const char* exit_status = std::getenv(exit_status_variable);  // set by the job script
    const auto system = batch_system();
    const auto job = system->own_job();
    if (job && exit_status != nullptr && rank <= num_rescuers) {
        const SweepDirectory directory(std::filesystem::path(exit_status).parent_path());
        system->rescue_if_orphaned(job->id, directory.job_log(job->id));
    }
}

/// Whether the reader of a pipe has gone, as `| head` does. Then lost output does not matter.
bool has_lost_its_reader(int descriptor) {
    pollfd end{descriptor, POLLOUT, 0};
    return ::poll(&end, 1, 0) > 0 && (end.revents & POLLERR) != 0;
}

}  // namespace

int main(int argc, char** argv) {
    open_standard_streams();
    std::signal(SIGCHLD, SIG_DFL);  // our parent may have ignored it, which exec keeps: then waiting for children fails
    const auto session = MpiSession::join(argc, argv);
    if (session && session->rank() > 0) {
        try {
            serve_agent(*session, answer_examination);
            return static_cast<int>(ExitCode::done);
        } catch (const std::exception& error) {
            complain(error, ExitCode::failed);
        }
        try {
            rescue_job(session->rank());
        } catch (const std::exception& error) {
            complain(error, ExitCode::failed);
        }
        return static_cast<int>(ExitCode::failed);
    }
    int code = run_command(argc, argv, session.get());
    const bool is_lost = std::fflush(stdout) != 0 || std::ferror(stdout) != 0;
    if (code == static_cast<int>(ExitCode::done) && is_lost && !has_lost_its_reader(STDOUT_FILENO)) {
        fmt::print(stderr, "crescendo: the output could not be written completely; is the disk full?\n");
        code = static_cast<int>(ExitCode::failed);
    }
    const bool is_torn = session && session->is_torn();  // then the script launches all again, as if we were lost
    return is_torn ? code : tell_job_script(argc > 1 ? argv[1] : "", code);
}
