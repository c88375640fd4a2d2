#include <memory>

#include "core/mapped.hpp"
#include "launch/commands/commands.hpp"
#include "launch/commands/options.hpp"
#include "launch/commands/steer.hpp"
#include "launch/journal/limits_change.hpp"
#include "launch/sweep_file/keys/sweep_keys.hpp"

namespace crescendo::launch {
namespace {

struct SetOptions {
    std::filesystem::path directory;
    std::vector<std::string> settings;
};

/// Sends all settings in one request, so that either all apply or none.
ExitCode set(const SetOptions& options) {
    return ask_for(options.directory, {SetRequest{mapped(options.settings, parse_setting)}});
}

}  // namespace

void add_set_command(CLI::App& app, ExitCode& code) {
    auto options = std::make_shared<SetOptions>();
    auto* command = app.add_subcommand("set", "Change limits of a sweep while it runs, or before it is resumed");
    add_directory_argument(*command, options->directory);
    command
        ->add_option("SETTING", options->settings, "KEY=VALUE; null removes a limit. KEY: " + list_of_changeable_keys())
        ->required();
    command->footer(
        "Example:\n  crescendo set results/first run_cap=200 budget.time=12h\n"
        "  crescendo set results/first scheduler.max_concurrent=8");
    command->callback([options, &code] { code = set(*options); });
}

}  // namespace crescendo::launch
