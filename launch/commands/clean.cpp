#include <fmt/format.h>

#include <memory>
#include <optional>

#include "core/check.hpp"
#include "core/shell_words.hpp"
#include "launch/commands/commands.hpp"
#include "launch/commands/options.hpp"
#include "launch/commands/validators.hpp"
#include "launch/directory/kept_trials.hpp"
#include "launch/directory/recorded_sweep.hpp"
#include "launch/directory/sweep_lock.hpp"
#include "launch/display/number_text.hpp"
#include "launch/doctor/finding.hpp"

namespace crescendo::launch {
namespace {

struct CleanOptions {
    std::filesystem::path directory;
    std::optional<int> best;
    std::optional<Keep::Programs> programs;
    Removal removal = Removal::perform;
};

/// `keep:` of the sweep file, with the values that the options replace.
Keep keep_of(const SweepFile& file, const CleanOptions& options) {
    CRESCENDO_VALIDATE(!options.programs || !file.trainer, "",
                       "--programs is for the files of a program, but crescendo-trainer leaves only checkpoints; use "
                       "--best to choose how many stay");
    auto keep = file.keep;
    keep.best = options.best.value_or(keep.best);
    keep.programs = options.programs.value_or(keep.programs);
    CRESCENDO_VALIDATE(file.has_warm_trainers() || keep.programs != Keep::Programs::all, "",
                       "the sweep file keeps all files of its program (keep.programs); "
                       "`crescendo clean {} --programs best` removes the files of all trials except the best",
                       shell_quoted(options.directory));
    return keep;
}

ExitCode clean(const CleanOptions& options) {
    const auto directory = SweepDirectory::open(options.directory);
    std::optional<SweepLock> lock;
    if (options.removal == Removal::perform) {
        lock.emplace(directory, LockUse::removing);
    }
    const RecordedSweep sweep(options.directory);
    const auto all = clean_up({keep_of(sweep.file, options), sweep.file.has_warm_trainers()}, sweep.history.sweep(),
                              directory, options.removal);
    const char* verb = options.removal == Removal::perform ? "removed" : "would remove";
    if (all.files == 0) {
        fmt::print("nothing to remove\n");
    } else {
        fmt::print("{} {} of {}: {}\n", verb, counted(all.files, "file"), counted(all.num_trials, "trial"),
                   size_text(static_cast<double>(all.bytes)));
    }
    if (all.left > 0) {
        fmt::print("{} cannot be removed: not yours, on another file system, or in a folder that you cannot change\n",
                   counted(all.left, "file"));
    }
    if (const auto num_failed = sweep.history.sweep().count(TrialStatus::failed); num_failed > 0) {
        fmt::print("the files of {} stayed, because `crescendo retry {}` may need them\n",
                   counted(num_failed, "failed trial"), shell_quoted(options.directory));
    }
    return ExitCode::done;
}

}  // namespace

void add_clean_command(CLI::App& app, ExitCode& code) {
    auto options = std::make_shared<CleanOptions>();
    auto* command = app.add_subcommand(
        "clean",
        "Remove checkpoints and files of ended trials that are not among the best, of a sweep that is not running");
    add_directory_argument(*command, options->directory);
    command->add_option("--best", options->best, "Number of best trials whose files stay; default: `keep.best`")
        ->check(at_least_one());
    command
        ->add_option("--programs", options->programs,
                     "Other trials whose program's files stay: all, finished or best; default: `keep.programs`")
        ->transform(one_of(programs_kept));
    command->add_flag_callback(
        "--dry-run", [options] { options->removal = Removal::pretend; }, "Only show what would be removed");
    command->footer(
        "Parameters, logs and results of all trials stay, and so do the files of trials that failed or have not ended. "
        "`keep` in the sweep file does the same while the sweep runs.\n"
        "Example:\n"
        "  crescendo clean results/first --programs best --dry-run\n"
        "  crescendo clean results/first --best 5 --programs best");
    command->callback([options, &code] { code = clean(*options); });
}

}  // namespace crescendo::launch
