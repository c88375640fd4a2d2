#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <ctime>
#include <memory>
#include <string>
#include <thread>

#include "core/check.hpp"
#include "launch/commands/commands.hpp"
#include "launch/commands/complain.hpp"
#include "launch/commands/options.hpp"
#include "launch/commands/validators.hpp"
#include "launch/directory/recorded_sweep.hpp"
#include "launch/directory/standing.hpp"
#include "launch/export/export_formats.hpp"
#include "launch/files/own_folder.hpp"
#include "launch/system/clock.hpp"

namespace crescendo::launch {
namespace {

namespace fs = std::filesystem;

struct ExportOptions {
    fs::path directory;
    std::string format;
    fs::path out;
    std::optional<int> trial;
    std::optional<std::string> task;
    Entry entry;
    std::string date;
    std::vector<std::string> metrics;
    std::optional<double> resource_of_epoch;
    bool follow = false;
};

std::string today() { return fmt::format("{:%Y-%m-%d}", fmt::localtime(std::time(nullptr))); }

/// Parses pairs such as "top1Accuracy=val_acc".
std::map<std::string, std::string> parse_metrics(const std::vector<std::string>& pairs) {
    std::map<std::string, std::string> metrics;
    for (const auto& pair : pairs) {
        const auto sign = pair.find('=');
        CRESCENDO_VALIDATE(
            sign != std::string::npos && sign > 0 && sign + 1 < pair.size(), "--metric",
            "'{}' does not name a column and its metric; write COLUMN=NAME, such as top1Accuracy=val_accuracy", pair);
        metrics[pair.substr(0, sign)] = pair.substr(sign + 1);
    }
    return metrics;
}

std::string is_date(const std::string& text) {
    int year = 0, month = 0, day = 0;
    const int read = std::sscanf(text.c_str(), "%4d-%2d-%2d", &year, &month, &day);
    const std::chrono::year_month_day date{std::chrono::year(year), std::chrono::month(static_cast<unsigned>(month)),
                                           std::chrono::day(static_cast<unsigned>(day))};
    const bool is_written_so = text == fmt::format("{:04}-{:02}-{:02}", year, month, day);  // without blanks
    return read == 3 && year > 0 && date.ok() && is_written_so ? "" : text + " is not a date such as 2026-11-30";
}

/// The folder for the files; by default one in the sweep's directory.
fs::path folder_of(const ExportOptions& options) {
    return fs::absolute(options.out.empty() ? options.directory / "export" / options.format : options.out)
        .lexically_normal();
}

/// Exports the sweep as it is now, and prints where if `is_first`. Returns whether the sweep may still change; without
/// --follow, nobody asks.
bool write_export(const ExportOptions& options, const ExportFormat& format, bool is_first, JobWatch& watch) {
    const RecordedSweep sweep(options.directory, Reports::all, &watch);
    const auto [files, remarks] = format.write({.sweep = sweep,
                                                .folder = folder_of(options),
                                                .trial = options.trial,
                                                .task = options.task,
                                                .entry = options.entry,
                                                .date = options.date.empty() ? today() : options.date,
                                                .metrics = parse_metrics(options.metrics),
                                                .resource_of_epoch = options.resource_of_epoch});
    const auto folder = options.out.empty() ? folder_of(options).lexically_proximate(fs::current_path()) : options.out;
    add_to_folder(folder, files, options.out.empty() || options.follow ? Existing::replace : Existing::refuse);
    if (is_first) {
        constexpr std::size_t most_names = 8;
        for (std::size_t i = 0; i < std::min(files.size(), most_names); ++i) {
            fmt::print("{}\n", (folder / files[i].first).string());
        }
        if (files.size() > most_names) {
            fmt::print("and {} more files in {}\n", files.size() - most_names, folder.string());
        }
        std::fflush(stdout);
        std::ranges::for_each(remarks, remark);
    }
    return options.follow && is_open(standing_of(sweep, &watch));
}

ExitCode export_sweep(const ExportOptions& options) {
    const auto& format = export_format(options.format);
    CRESCENDO_VALIDATE(!options.out.empty() || options.format != "dawnbench", "--out",
                       "--to dawnbench needs --out with the folder of all entries, which several sweeps can share");
    CRESCENDO_VALIDATE(!options.follow || format.follow == Follow::yes, "--follow",
                       "--follow does not work with {}, because programs that have the file open do not see later "
                       "changes; export the sweep again when it is over",
                       format.name);
    if (options.out.empty()) {
        require_own_folder(SweepDirectory::open(options.directory).path(), "name a folder with --out");
    }
    JobWatch watch;
    auto start = Clock::now();
    for (bool is_first = true; write_export(options, format, is_first, watch); is_first = false) {
        std::this_thread::sleep_for(pause_after(start));  // longer for large sweeps, which take long to read
        start = Clock::now();
    }
    return ExitCode::done;
}

}  // namespace

void add_export_command(CLI::App& app, ExitCode& code) {
    auto options = std::make_shared<ExportOptions>();
    auto* command = app.add_subcommand("export", "Write a sweep in the format of other programs");
    add_directory_argument(*command, options->directory);
    command->add_option("--to", options->format, "Format: " + names_of_formats())->required();
    command->add_option("--out", options->out,
                        "Folder for the files; other files in it stay; default: export/FORMAT in the sweep's folder; "
                        "required for dawnbench");
    command->add_flag("--follow", options->follow, "Update the export until the sweep ends");
    command->add_option("--trial", options->trial, "dawnbench: number of the trial; default: the best")
        ->check(at_least(0));
    command->add_option("--task", options->task, "dawnbench: CIFAR10, ImageNet or SQuAD");
    for (const auto& text : entry_texts) {
        std::string name = text.key;
        std::ranges::replace(name, '_', '-');
        command->add_option("--" + name, options->entry.*text.text,
                            fmt::format("dawnbench: such as \"{}\"; default: entry.{} of the sweep's file",
                                        text.example, text.key));
    }
    command
        ->add_option("--cost-per-hour", options->entry.cost_per_hour,
                     "dawnbench: hourly price of the hardware in US dollars; default: the price of the trial's maximum "
                     "number of slots")
        ->check(CLI::Range(0.0, 1e9));
    command->add_option("--date", options->date, "dawnbench: date of the entry; default: today")
        ->check(CLI::Validator(is_date, "YYYY-MM-DD"));
    command->add_option("--metric", options->metrics, "dawnbench: COLUMN=NAME, the metric that a column shows");
    command
        ->add_option("--epoch", options->resource_of_epoch,
                     "dawnbench: resource of an epoch, if trials do not count epochs")
        ->check(CLI::PositiveNumber);
    command->footer(
        "Examples:\n"
        "  crescendo export results/first --to csv\n"
        "  crescendo export results/first --to optuna --out study\n"
        "  crescendo export results/first --to tensorboard --out logs --follow &  tensorboard --logdir logs\n"
        "  crescendo export results/first --to dawnbench --task CIFAR10 --out entries --author \"Jane Doe\" "
        "--author-email jane@example.org --hardware \"1 V100\"");
    command->callback([options, &code] { code = export_sweep(*options); });
}

}  // namespace crescendo::launch
