#include <memory>

#include "core/check.hpp"
#include "core/shell_words.hpp"
#include "launch/commands/commands.hpp"
#include "launch/commands/complain.hpp"
#include "launch/commands/sweep_session.hpp"
#include "launch/directory/sweep_directory.hpp"
#include "launch/directory/warm_start.hpp"
#include "launch/files/read_file.hpp"
#include "launch/sweep_file/check/sweep_check.hpp"
#include "launch/transport/launched.hpp"

namespace crescendo::launch {
namespace {

namespace fs = std::filesystem;

struct RunOptions {
    fs::path file;
    fs::path directory;  // --dir
    SessionOptions session;
};

ExitCode run(const RunOptions& options, MpiSession* session) {
    require_sound_start(options.session, session);
    CRESCENDO_VALIDATE(
        !is_there(SweepDirectory(options.file).journal()), "",
        "{}: is the directory of a sweep, but `run` takes a sweep file; `crescendo resume {}` continues it",
        options.file.string(), shell_quoted(options.file));
    auto file = read_sound_sweep_file(options.file);
    gather_warm_start(file, remark);
    return begin_sweep(file, options.directory.empty() ? fs::path(file.name) : options.directory, options.session,
                       session);
}

}  // namespace

void add_run_command(CLI::App& app, ExitCode& code, MpiSession* session) {
    auto options = std::make_shared<RunOptions>();
    auto* command =
        app.add_subcommand("run", "Run a sweep from the beginning, on this machine or on all nodes of an MPI job");
    command->add_option("FILE", options->file, "The sweep file (YAML)")->required();
    command->add_option("--dir", options->directory, "Folder for its results; default: the sweep's name");
    add_session_options(*command, options->session);
    command->footer("Example:\n  crescendo run sweep.yaml --dir results/first --slots 4\n  " +
                    rank_launcher().for_sweep() + " crescendo run sweep.yaml --dir /shared/results/first");
    command->callback([options, &code, session] { code = run(*options, session); });
}

}  // namespace crescendo::launch
