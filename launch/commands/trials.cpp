#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <memory>
#include <set>
#include <utility>
#include <variant>

#include "core/check.hpp"
#include "core/shell_words.hpp"
#include "launch/commands/commands.hpp"
#include "launch/commands/complain.hpp"
#include "launch/commands/options.hpp"
#include "launch/commands/validators.hpp"
#include "launch/directory/recorded_sweep.hpp"
#include "launch/display/table_query.hpp"
#include "launch/report/sweep_plot.hpp"
#include "launch/system/terminal.hpp"
#include "launch/view/trials_table.hpp"

namespace crescendo::launch {
namespace {

/// More rows than people would scroll through.
constexpr std::size_t most_rows_on_screen = 1000;

struct TrialsOptions {
    std::filesystem::path directory;
    Format format = Format::table;
    std::string price;
    TableQuery query;
    bool plot = false;
};

/// The words that a column can have, and the columns whose best values are the largest.
ColumnFacts facts_of(const History& history) {
    const auto& spec = history.sweep().spec();
    const auto columns = trial_columns(history);
    ColumnFacts facts;
    for (const auto& parameter : spec.space.parameters()) {
        if (const auto* choice = std::get_if<Categorical>(&parameter.distribution);
            choice != nullptr && !parameter.is_derived()) {
            facts.values[columns.parameters.at(parameter.name)] = choice->values;
        }
    }
    for (const auto status : {TrialStatus::running, TrialStatus::waiting, TrialStatus::paused, TrialStatus::held,
                              TrialStatus::stopped, TrialStatus::finished, TrialStatus::failed}) {
        facts.values["status"].emplace_back(std::string(to_string(status)));
    }
    for (const auto& [origin, word] : origins) {
        facts.values["origin"].emplace_back(std::string(word));
    }
    for (const auto& [reason, word] : stop_reasons) {
        facts.values["reason"].emplace_back(std::string(word));
    }
    if (spec.goal == Goal::maximize) {
        facts.largest_first.insert({columns.metric, columns.ranked_by});
    }
    return facts;
}

ExitCode trials(const TrialsOptions& options) {
    CRESCENDO_VALIDATE(!options.plot || (options.format == Format::table && options.query.columns.empty()), "",
                       "--plot draws charts instead of the table, so --format and --columns do not apply; omit them");
    const RecordedSweep sweep(options.directory, options.plot ? Reports::curves : Reports::last);
    auto table = trials_table(sweep.history, price_of_slot_hour(sweep, options.price));
    const auto rows = find_rows(table, options.query, facts_of(sweep.history));
    if (!options.plot) {
        const auto picked = pick(std::move(table), rows, options.query.columns);
        const bool is_for_people = options.format == Format::table && options.query.columns.empty();
        const auto text = (is_for_people ? picked.without_empty_columns() : picked).print(options.format);
        std::fputs(text.c_str(), stdout);  // with a million trials, half a gigabyte, which fmt would copy first
        if (const auto count = picked.rows().size();
            is_for_people && count > most_rows_on_screen && ::isatty(STDOUT_FILENO) != 0) {
            std::fflush(stdout);
            remark(fmt::format("the table has {} trials; --sort {} --limit 20 shows the best", count,
                               shell_quoted(trial_columns(sweep.history).metric)));
        }
        return ExitCode::done;
    }
    const std::set<std::size_t> shown(rows.begin(), rows.end());  // one row per trial, in order of their ids
    const auto shows = [&](TrialId id) { return shown.contains(static_cast<std::size_t>(id.value)); };
    for (const auto& line : sweep_plot(sweep.history, terminal_columns(stdout, 100), shows)) {
        fmt::print("{}\n", line);
    }
    return ExitCode::done;
}

}  // namespace

void add_trials_command(CLI::App& app, ExitCode& code) {
    auto options = std::make_shared<TrialsOptions>();
    auto* command = app.add_subcommand("trials", "Show every trial of a sweep with its parameters and results");
    add_directory_argument(*command, options->directory);
    add_format_option(*command, options->format);
    add_price_option(*command, options->price);
    command->add_option("--where", options->query.where,
                        "Only trials that meet this condition on the columns, in the language of docs/search-space.md; "
                        "put names with spaces or dots in backticks");
    command
        ->add_option("--sort", options->query.sort,
                     "Columns to sort by, most important first: NAME, NAME:asc or NAME:desc; by default, the metric's "
                     "best value comes first, and the smallest of others")
        ->delimiter(',')
        ->allow_extra_args(false);
    command->add_option("--columns", options->query.columns, "Only these columns, in this order: trial,status,lr")
        ->delimiter(',')
        ->allow_extra_args(false);
    command->add_option("--limit", options->query.limit, "At most this many trials")->check(at_least(0));
    command->add_flag("--plot", options->plot,
                      "Charts instead of the table: the best value so far, and the learning curves of these trials");
    command->footer(
        "Example:\n"
        "  crescendo trials results/first --format csv > trials.csv\n"
        "  crescendo trials results/first --where 'lr > 0.01 and status == \"finished\"' --sort val_accuracy --limit "
        "10\n"
        "  crescendo trials results/first --sort val_accuracy --columns trial,val_accuracy,lr\n"
        "  crescendo trials results/first --where 'origin == \"model\"' --columns trial,origin,lr\n"
        "  crescendo trials results/first --plot --where 'workers > 1'");
    command->callback([options, &code] { code = trials(*options); });
}

}  // namespace crescendo::launch
