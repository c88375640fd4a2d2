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
    std::string price;
};

ExitCode trials(const Options& options) {
    const RecordedSweep sweep(options.directory);
    fmt::print("{}", trials_table(sweep.history, price_of_slot_hour(sweep, options.price)).print(options.format));
    return ExitCode::done;
}

}  // namespace

void add_trials_command(CLI::App& app, ExitCode& code) {
    auto options = std::make_shared<Options>();
    auto* command = app.add_subcommand("trials", "Every trial of a sweep with its parameters and results");
    add_directory_argument(*command, options->directory);
    add_format_option(*command, options->format);
    add_price_option(*command, options->price);
    command->footer("Example:\n  crescendo trials results/first --format csv > trials.csv");
    command->callback([options, &code] { code = trials(*options); });
}

}  // namespace crescendo::launch
