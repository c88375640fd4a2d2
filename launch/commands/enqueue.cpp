#include <memory>

#include "launch/commands/commands.hpp"
#include "launch/commands/options.hpp"
#include "launch/commands/steer.hpp"

namespace crescendo::launch {
namespace {

struct EnqueueOptions {
    std::filesystem::path directory;
    std::vector<std::string> values;
};

ExitCode enqueue(const EnqueueOptions& options) {
    EnqueueRequest request;
    for (const auto& text : options.values) {
        const auto given = parse_override(text, "lr=0.01");
        request.values.emplace_back(given.key, *given.value);
    }
    return ask_for(options.directory, {request});
}

}  // namespace

void add_enqueue_command(CLI::App& app, ExitCode& code) {
    auto options = std::make_shared<EnqueueOptions>();
    auto* command = app.add_subcommand("enqueue", "Start the next trial with your own values");
    add_directory_argument(*command, options->directory);
    command->add_option("VALUE", options->values, "NAME=VALUE of a parameter; the others are drawn as usual")
        ->required();
    command->footer("Example:\n  crescendo enqueue results/first lr=0.01 optimizer=adam");
    command->callback([options, &code] { code = enqueue(*options); });
}

}  // namespace crescendo::launch
