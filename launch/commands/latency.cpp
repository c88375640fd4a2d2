#include <fmt/format.h>

#include <memory>
#include <optional>

#include "core/check.hpp"
#include "launch/commands/commands.hpp"
#include "launch/commands/complain.hpp"
#include "launch/commands/latency_bench.hpp"
#include "launch/commands/options.hpp"
#include "launch/commands/validators.hpp"
#include "launch/directory/sweep_lock.hpp"
#include "launch/files/read_file.hpp"
#include "launch/journal/cost.hpp"

namespace crescendo::launch {
namespace {

struct LatencyOptions {
    std::filesystem::path directory;
    std::optional<int> trial;
    LatencyBench::Options bench;
    Format format = Format::table;
};

ExitCode latency(const LatencyOptions& options) {
    const RecordedSweep sweep(options.directory);
    LatencyBench bench(sweep, options.bench);
    const auto trial = chosen_trial(sweep, options.trial, "there is no model to measure");
    CRESCENDO_VALIDATE(is_there(sweep.directory.checkpoint(trial)), "--trial",
                       "trial {} has no checkpoint in {}, because only the best and unfinished trials keep theirs; "
                       "measure one of these",
                       trial.value, sweep.directory.trial(trial).string());
    if (const auto holder = SweepLock::holder(sweep.directory)) {
        remark(fmt::format("warning: {} is working on the sweep; if it is on this node, the measured latency is higher",
                           *holder));
    }
    const auto record = bench.measure(trial, LatencyBench::Weights::trained);
    fmt::print("{}", latency_text(record, price_of_slot_hour(sweep.file.price, sweep.history), options.format));
    return ExitCode::done;
}

}  // namespace

void add_latency_command(CLI::App& app, ExitCode& code) {
    auto options = std::make_shared<LatencyOptions>();
    auto* command = app.add_subcommand("latency", "Measure the latency of a trial's model, one sample at a time");
    add_directory_argument(*command, options->directory);
    command->add_option("--trial", options->trial, "Number of the trial; default: the best")->check(at_least(0));
    add_latency_options(*command, options->bench);
    add_format_option(*command, options->format);
    command->footer(
        "Example:\n"
        "  crescendo latency results/first --threads 2\n"
        "  crescendo best results/first --within 2ms");
    command->callback([options, &code] { code = latency(*options); });
}

}  // namespace crescendo::launch
