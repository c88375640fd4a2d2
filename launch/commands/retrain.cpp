#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <memory>
#include <optional>

#include "core/check.hpp"
#include "core/files/file_descriptor.hpp"
#include "core/shell_words.hpp"
#include "launch/commands/commands.hpp"
#include "launch/commands/complain.hpp"
#include "launch/commands/options.hpp"
#include "launch/commands/resume.hpp"
#include "launch/commands/validators.hpp"
#include "launch/directory/recorded_sweep.hpp"
#include "launch/files/read_file.hpp"
#include "launch/sweep_file/check/sweep_check.hpp"
#include "launch/sweep_file/retraining.hpp"
#include "launch/view/seed_spread.hpp"

namespace crescendo::launch {
namespace {

namespace fs = std::filesystem;

struct RetrainOptions {
    fs::path directory;
    std::optional<int> trial;
    int num_seeds = 5;
    Format format = Format::table;
    SessionOptions session;
};

/// Redirects standard output to standard error while the object lives.
class OutputToErrors {
  public:
    OutputToErrors() : output_(::dup(STDOUT_FILENO)) {
        std::fflush(stdout);
        ::dup2(STDERR_FILENO, STDOUT_FILENO);
    }
    ~OutputToErrors() {
        std::fflush(stdout);
        ::dup2(output_.get(), STDOUT_FILENO);
    }
    OutputToErrors(OutputToErrors&&) = delete;
    OutputToErrors& operator=(OutputToErrors&&) = delete;

  private:
    FileDescriptor output_;
};

/// Starts training the trial's configuration in `folder`, or continues it.
ExitCode train(const RecordedSweep& sweep, TrialId trial, const fs::path& folder, const RetrainOptions& options,
               MpiSession* session) {
    fs::current_path(sweep.directory.working_directory());
    if (is_there(folder)) {
        const RecordedSweep earlier(folder);
        ResumeOptions resume{.directory = folder, .session = options.session};
        if (options.num_seeds > earlier.history.sweep().spec().run_cap.value_or(0)) {
            resume.run_cap = options.num_seeds;
        }
        return resume_sweep(resume, session);
    }
    require_sound_start(options.session, session);
    const auto& config = sweep.history.sweep().trial(trial).config;
    auto draft =
        draft_sweep(retraining_of(sweep.file, sweep.limits(), config, options.num_seeds), folder / "sweep.yaml");
    check(draft, ProgramPaths::find());
    draft.mistakes.throw_if_any(draft.file.source);
    std::error_code refused;
    fs::create_directories(folder.parent_path(), refused);
    CRESCENDO_VALIDATE(!refused, "",
                       "{}: cannot be created: {}; retrain in a copy of the sweep instead: cp -r {} COPY; crescendo "
                       "retrain COPY --trial {}",
                       folder.parent_path().string(), refused.message(), shell_quoted(sweep.directory.path()),
                       trial.value);
    return begin_sweep(draft.file, folder, options.session, session);
}

ExitCode retrain(const RetrainOptions& options, MpiSession* session) {
    const RecordedSweep sweep(options.directory);
    const auto where = options.directory.string();
    const auto trial = chosen_trial(sweep, options.trial, "there is nothing to retrain");
    const auto folder = fs::absolute(sweep.directory.path()) / "retrain" / std::to_string(trial.value);
    std::optional<OutputToErrors> for_people;
    if (options.format != Format::table) {
        for_people.emplace();
    }
    const auto code = train(sweep, trial, folder, options, session);
    for_people.reset();
    if (code == ExitCode::resumable) {
        fmt::print(options.format == Format::table ? stdout : stderr,
                   "  crescendo retrain {} --trial {}     also continues it\n", shell_quoted(where), trial.value);
        return code;
    }
    const RecordedSweep trained(folder);
    if (options.format == Format::table) {
        fmt::print("trial {} of {}, with other seeds:\n", trial.value, where);
    }
    const auto spread = seed_spread(trained.history);
    const bool for_a_person = options.format == Format::table;
    fmt::print("{}", (for_a_person ? spread.without_empty_columns() : spread).print(options.format));
    for (const auto& text : {unfinished_text(trained.history), not_finite_text(trained.history)}) {
        if (!text.empty()) {
            remark(text);
        }
    }
    if (seeds_change_nothing(trained.history)) {
        remark(
            "all seeds gave exactly the same numbers: the program does not use its seed; read it from ${seed} in "
            "`command:`, CRESCENDO_SEED, or trial.seed in Python");
    }
    return code;
}

}  // namespace

void add_retrain_command(CLI::App& app, ExitCode& code, MpiSession* session) {
    auto options = std::make_shared<RetrainOptions>();
    auto* command = app.add_subcommand(
        "retrain", "Train the best configuration to the end with several seeds: mean and spread of its metrics");
    add_directory_argument(*command, options->directory);
    command->add_option("--trial", options->trial, "Number of the trial to train again; default: the best")
        ->check(at_least(0));
    command->add_option("--seeds", options->num_seeds, "Number of seeds; more than before continues with further ones")
        ->check(at_least_one())
        ->capture_default_str();
    add_session_options(*command, options->session);
    command->get_option("--slots")->description("Number of workers per node; default: all");
    add_format_option(*command, options->format);
    command->footer(
        "The result is a separate sweep in DIR/retrain/TRIAL, for `best`, `trials`, `stop` and `resume`.\n"
        "\n"
        "Example:\n  crescendo retrain results/first\n  crescendo retrain results/first --seeds 10 --format json");
    command->callback([options, &code, session] { code = retrain(*options, session); });
}

}  // namespace crescendo::launch
