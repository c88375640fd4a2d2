#include <fmt/format.h>

#include <memory>

#include "launch/commands/commands.hpp"
#include "launch/commands/options.hpp"
#include "launch/record/recorded_sweep.hpp"
#include "launch/view/results.hpp"

namespace crescendo::launch {
namespace {

struct Options {
    std::filesystem::path directory;
    Format format = Format::table;
};

ExitCode best(const Options& options) {
    const RecordedSweep sweep(options.directory);
    fmt::print("{}", best_text(sweep.history, sweep.directory, options.format));
    return ExitCode::done;
}

}  // namespace

void add_best_command(CLI::App& app, ExitCode& code) {
    auto options = std::make_shared<Options>();
    auto* command = app.add_subcommand("best", "The best trial of a sweep: its parameters, metrics and checkpoint");
    add_directory_argument(*command, options->directory);
    add_format_option(*command, options->format);
    command->footer("Example:\n  crescendo best results/first");
    command->callback([options, &code] { code = best(*options); });
}

}  // namespace crescendo::launch
