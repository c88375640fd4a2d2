#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/check.hpp"
#include "launch/commands/commands.hpp"
#include "launch/commands/options.hpp"
#include "launch/directory/recorded_sweep.hpp"
#include "launch/directory/standing.hpp"
#include "launch/view/progress.hpp"
#include "launch/view/results.hpp"

namespace crescendo::launch {
namespace {

namespace fs = std::filesystem;

const std::vector<std::string> columns{"directory", "name",   "state", "progress", "trials", "running",
                                       "failed",    "metric", "best",  "job",      "problem"};

struct ListOptions {
    fs::path root = ".";
    Format format = Format::table;
};

/// Whether the folder holds a sweep. One whose files cannot be looked at counts, so that its row says why, but not if
/// that is because the folder is closed to us.
bool holds_sweep(const fs::path& folder) {
    const auto is_there_or_unknown = [](const fs::path& file) {
        std::error_code unknown;
        return fs::exists(file, unknown) || (unknown && unknown != std::errc::permission_denied);
    };
    const SweepDirectory directory(folder);
    return is_there_or_unknown(directory.journal()) && is_there_or_unknown(directory.sweep_file());
}

/// Adds the sweeps in `folder` and below it. Does not list the sweeps that `retrain` created inside another one, does
/// not follow links, and skips folders that are unreadable or whose names begin with a dot.
void find_sweeps(const fs::path& folder, std::vector<fs::path>& sweeps) {
    if (holds_sweep(folder)) {
        sweeps.push_back(folder);
        return;
    }
    std::error_code error;
    for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error)) {
        std::error_code ignored;
        if (entry->is_directory(ignored) && !entry->is_symlink(ignored) &&
            !entry->path().filename().string().starts_with(".")) {
            find_sweeps(entry->path(), sweeps);
        }
    }
}

/// Looks up the last jobs of submitted sweeps in one query, because hundreds of separate ones would take the batch
/// system a while.
void look_up_jobs(const std::vector<fs::path>& sweeps, JobWatch& watch) {
    std::vector<std::string> jobs;
    for (const auto& path : sweeps) {
        try {
            if (auto job = SweepDirectory(path).job(); !job.empty()) {
                jobs.push_back(std::move(job));
            }
        } catch (const std::exception&) {
            // The sweep's row says why.
        }
    }
    if (batch_system()->is_installed()) {
        watch.look_up(jobs);
    }
}

std::vector<Cell> row_of(const fs::path& path, JobWatch& watch) {
    const RecordedSweep recorded(path, Reports::last, &watch);
    const auto& sweep = recorded.history.sweep();
    const auto progress =
        progress_of(recorded.history, recorded.history.last_time(), recorded.file.time_budget_seconds());
    const auto job = recorded.directory.job();
    const auto best = sweep.best();
    const auto& spec = sweep.spec();
    return {path.lexically_normal().string(),
            recorded.file.name,
            std::string(standings.of(standing_of(recorded, &watch))),
            known_cell(progress.fraction),
            std::int64_t{progress.begun()},
            std::int64_t{progress.running},
            std::int64_t{progress.failed},
            spec.metric,
            best ? Cell{best_value(sweep, *best)} : Cell{},
            job.empty() ? Cell{} : Cell{job},
            Cell{}};
}

/// The row of a sweep that cannot be read, so that a damaged sweep does not hide the others.
std::vector<Cell> unreadable_row(const fs::path& path, const std::string& problem) {
    std::vector<Cell> row(columns.size());
    row.front() = path.lexically_normal().string();
    row[2] = std::string("unreadable");
    row.back() = problem;
    return row;
}

ExitCode list(const ListOptions& options) {
    std::error_code error;
    CRESCENDO_VALIDATE(fs::is_directory(options.root, error), "", "{}: no such folder; name one that holds sweeps",
                       options.root.string());
    std::vector<fs::path> sweeps;
    find_sweeps(options.root, sweeps);
    std::ranges::sort(sweeps);
    const fs::directory_iterator root(options.root, error);
    if (sweeps.empty() && !error && options.format == Format::table) {
        fmt::print("no sweeps in {}\n", options.root.string());
        return ExitCode::done;
    }
    Table table(columns);
    if (error) {
        table.add_row(unreadable_row(options.root, error.message()));
    }
    JobWatch watch;
    look_up_jobs(sweeps, watch);
    for (const auto& path : sweeps) {
        try {
            table.add_row(row_of(path, watch));
        } catch (const std::exception& problem) {
            table.add_row(unreadable_row(path, problem.what()));
        }
    }
    fmt::print("{}", (options.format == Format::table ? table.without_empty_columns() : table).print(options.format));
    return ExitCode::done;
}

}  // namespace

void add_list_command(CLI::App& app, ExitCode& code) {
    auto options = std::make_shared<ListOptions>();
    auto* command =
        app.add_subcommand("list", "List the sweeps in a folder and below it: state, progress, best result, job");
    command->add_option("ROOT", options->root, "Where to look; default: the current folder");
    add_format_option(*command, options->format);
    command->footer("Example:\n  crescendo list results");
    command->callback([options, &code] { code = list(*options); });
}

}  // namespace crescendo::launch
