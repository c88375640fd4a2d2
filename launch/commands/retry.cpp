#include <memory>

#include "core/check.hpp"
#include "core/shell_words.hpp"
#include "launch/commands/commands.hpp"
#include "launch/commands/options.hpp"
#include "launch/commands/steer.hpp"
#include "launch/commands/validators.hpp"

namespace crescendo::launch {
namespace {

struct RetryOptions {
    std::filesystem::path directory;
    std::vector<int> trials;
    bool all_failed = false;
};

ExitCode retry(const RetryOptions& options) {
    CRESCENDO_VALIDATE(options.all_failed != !options.trials.empty(), "",
                       "which trials? Name them, as in `crescendo retry {} 17`, or add --failed for all that failed",
                       shell_quoted(options.directory));
    return options.all_failed ? ask_for(options.directory, {RetryRequest{}})
                              : ask_for_each<RetryRequest>(options.directory, options.trials);
}

}  // namespace

void add_retry_command(CLI::App& app, ExitCode& code) {
    auto options = std::make_shared<RetryOptions>();
    auto* command = app.add_subcommand("retry", "Retry failed trials, from their checkpoints if they have any");
    add_directory_argument(*command, options->directory);
    command->add_option("TRIAL", options->trials, "Failed trials")->check(at_least(0));
    command->add_flag("--failed", options->all_failed, "All trials that failed");
    command->footer("Example:\n  crescendo retry results/first 17\n  crescendo retry results/first --failed");
    command->callback([options, &code] { code = retry(*options); });
}

}  // namespace crescendo::launch
