#include <memory>

#include "launch/commands/commands.hpp"
#include "launch/commands/options.hpp"
#include "launch/commands/steer.hpp"
#include "launch/commands/validators.hpp"

namespace crescendo::launch {
namespace {

struct PauseOptions {
    std::filesystem::path directory;
    std::vector<int> trials;
};

}  // namespace

void add_pause_command(CLI::App& app, ExitCode& code) {
    auto options = std::make_shared<PauseOptions>();
    auto* command = app.add_subcommand("pause", "Pause trials: they save and free their slots until they are resumed");
    add_directory_argument(*command, options->directory);
    command->add_option("TRIAL", options->trials, "Trials to pause; the others continue")
        ->required()
        ->check(at_least(0));
    command->footer("Example:\n  crescendo pause results/first 17\n  crescendo resume results/first 17");
    command->callback([options, &code] { code = ask_for_each<PauseRequest>(options->directory, options->trials); });
}

}  // namespace crescendo::launch
