#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "core/check.hpp"
#include "launch/commands/commands.hpp"
#include "launch/commands/complain.hpp"
#include "launch/commands/latency_bench.hpp"
#include "launch/commands/model_export.hpp"
#include "launch/commands/options.hpp"
#include "launch/commands/validators.hpp"
#include "launch/directory/recorded_sweep.hpp"
#include "launch/files/read_file.hpp"
#include "launch/view/results.hpp"

namespace crescendo::launch {
namespace {

struct BestOptions {
    std::filesystem::path directory;
    std::string within;
    std::filesystem::path out;  ///< --export
    std::optional<int> trial;
    LatencyBench::Options bench;
    Format format = Format::table;
    std::string price;
};

/// The best trial with a 99th percentile of latency of at most `seconds`; nothing if there is none. Measures trials,
/// best first, until one is found.
std::optional<TrialId> best_within(double seconds, const RecordedSweep& sweep, const LatencyBench::Options& options) {
    LatencyBench bench(sweep, options);
    std::optional<LatencyRecord> fastest;
    for (const auto trial : ranking(sweep.history.sweep())) {
        auto record = bench.known(trial);
        if (!record) {
            remark(fmt::format("measuring trial {}", trial.value));
            // The best trial of a finished sweep has its checkpoint, so the metrics of its predictions can be measured
            // too.
            const bool is_result = sweep.history.sweep().state() == SweepState::finished &&
                                   trial == sweep.history.sweep().best() && is_there(sweep.directory.checkpoint(trial));
            record = bench.measure(trial, is_result ? LatencyBench::Weights::trained : LatencyBench::Weights::random);
        }
        if (record->latency.p99 <= seconds) {
            return trial;
        }
        if (!fastest || record->latency.p99 < fastest->latency.p99) {
            fastest = std::move(record);
        }
    }
    if (fastest) {
        remark(fmt::format("no trial is fast enough; the fastest is trial {}, with {:.4g} ms",
                           fastest->latency.trial.value, fastest->latency.p99 * 1e3));
    }
    return {};
}

ExitCode best(const BestOptions& options) {
    const RecordedSweep sweep(options.directory);
    auto trial = sweep.history.sweep().best();
    if (!options.within.empty() && trial) {
        trial = best_within(*parse_latency(options.within), sweep, options.bench);
        if (!trial) {
            return ExitCode::failed;
        }
    }
    if (!options.out.empty()) {
        if (options.trial || !trial) {
            trial = chosen_trial(sweep, options.trial, "there is none to export");
        }
        export_trial(sweep, *trial, options.out);
        return ExitCode::done;
    }
    const auto price = price_of_slot_hour(sweep, options.price);
    fmt::print("{}", best_text(sweep.history, sweep.directory, options.format, price, trial));
    return trial ? ExitCode::done : ExitCode::failed;
}

}  // namespace

void add_best_command(CLI::App& app, ExitCode& code) {
    auto options = std::make_shared<BestOptions>();
    auto* command =
        app.add_subcommand("best", "Show the best trial of a sweep: its parameters, metrics and checkpoint");
    add_directory_argument(*command, options->directory);
    auto* within = command->add_option("--within", options->within,
                                       "Show the best trial with a 99th percentile latency of at most this, such as "
                                       "2ms; measured as by `crescendo latency`");
    within->check(CLI::Validator(
        [](const std::string& text) { return parse_latency(text) ? "" : text + " is not a time such as 2ms or 800us"; },
        "TIME"));
    for (auto* option : add_latency_options(*command, options->bench)) {
        option->needs(within);
    }
    auto* out = command->add_option(
        "--export", options->out,
        "New folder for the trial's parameters and its trained model, for Python without Crescendo");
    command->add_option("--trial", options->trial, "Number of the trial to export; default: the best")
        ->check(at_least(0))
        ->needs(out)
        ->excludes(within);
    add_format_option(*command, options->format);
    add_price_option(*command, options->price);
    command->footer(
        "Example:\n  crescendo best results/first\n  crescendo best results/first --within 2ms\n"
        "  crescendo best results/first --export winner");
    command->callback([options, &code] { code = best(*options); });
}

}  // namespace crescendo::launch
