#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <deque>
#include <iterator>
#include <map>
#include <memory>
#include <thread>
#include <utility>
#include <vector>

#include "launch/commands/commands.hpp"
#include "launch/commands/complain.hpp"
#include "launch/commands/options.hpp"
#include "launch/commands/validators.hpp"
#include "launch/directory/recorded_sweep.hpp"
#include "launch/files/file_tail.hpp"
#include "launch/system/clock.hpp"

namespace crescendo::launch {
namespace {

struct LogsOptions {
    std::filesystem::path directory;
    std::optional<int> trial;
    bool follows = false;
    std::optional<std::int64_t> num_lines;
};

/// Prints a log file, each line with a prefix.
class PrintedLog {
  public:
    PrintedLog(const std::filesystem::path& path, std::string prefix, std::int64_t offset)
        : tail_(path.string(), offset), prefix_(std::move(prefix)) {}

    /// Prints new lines; only the last `most` of them if given.
    void print(std::optional<std::int64_t> most = {}) {
        read(most);
        print_kept();
    }

    /// As print(), but also prints the last line if it is incomplete.
    void print_rest(std::optional<std::int64_t> most = {}) {
        read(most);
        if (auto rest = tail_.rest(); !rest.empty()) {
            take({std::move(rest)}, most);
        }
        print_kept();
    }

    /// Number of bytes of the file that were printed or left out.
    std::int64_t offset() const { return tail_.offset(); }

  private:
    void read(std::optional<std::int64_t> most) {
        do {
            take(tail_.lines(), most);
        } while (tail_.has_more());
    }

    /// Keeps lines that may be among the last. If all lines are wanted, prints them at once, because a log can be very
    /// long.
    void take(std::vector<std::string> lines, std::optional<std::int64_t> most) {
        std::ranges::move(lines, std::back_inserter(kept_));
        if (!most) {
            print_kept();
        }
        while (most && std::cmp_greater(kept_.size(), *most)) {
            kept_.pop_front();
        }
    }

    void print_kept() {
        for (const auto& line : std::exchange(kept_, {})) {
            fmt::print("{}{}\n", prefix_, line);
        }
    }

    FileTail tail_;
    std::string prefix_;
    std::deque<std::string> kept_;  ///< lines to be printed
};

/// The log of a trial, with a prefix unless the user named the trial.
PrintedLog printed(const SweepDirectory& directory, const LogsOptions& options, TrialId trial, std::int64_t offset) {
    return {directory.log(trial), options.trial ? "" : fmt::format("{}: ", trial.value), offset};
}

/// Where to begin to read a log of which only the last `most` lines are wanted.
std::int64_t begin_of(const std::filesystem::path& log, std::optional<std::int64_t> most) {
    return most ? begin_of_last_lines(log.string(), *most) : 0;
}

/// How much of a trial's log has been printed.
struct LogEnd {
    std::int64_t offset = 0;
    int generation = 0;  ///< generation of the group that wrote it
};

/// Prints new lines until no process works on the sweep, or the trial has ended. If the user named a trial, it is shown
/// even while it waits for slots; otherwise the running trials are.
void follow(const SweepDirectory& directory, const LogsOptions& options) {
    std::map<TrialId, PrintedLog> logs;  // logs of running trials
    std::map<TrialId, LogEnd> ends;      // for trials that have run, because they may run again
    std::size_t num_seen = 0;
    JobWatch job;
    Clock::time_point next_look{};
    for (bool is_first = true;; is_first = false) {
        if (const auto begin = Clock::now(); begin >= next_look) {
            const RecordedSweep sweep(directory.path(), Reports::last, &job);
            const auto& trials = sweep.history.sweep().trials();
            for (const auto& trial : trials) {
                const bool is_shown = !options.trial || *options.trial == trial.id.value;
                const auto end = ends.find(trial.id);
                const bool is_new =
                    is_first ? options.trial.has_value() : std::cmp_greater_equal(trial.id.value, num_seen);
                const bool has_run = end != ends.end() && end->second.generation < trial.group.generation;
                if (is_shown && (is_new || has_run || trial.status == TrialStatus::running) &&
                    !logs.contains(trial.id)) {
                    const auto most = is_first ? options.num_lines : std::nullopt;
                    const auto offset =
                        end != ends.end() ? end->second.offset : begin_of(directory.log(trial.id), most);
                    auto& log = logs.emplace(trial.id, printed(directory, options, trial.id, offset)).first->second;
                    log.print(most);
                }
            }
            num_seen = trials.size();
            for (auto log = logs.begin(); log != logs.end();) {
                const auto& trial = sweep.history.sweep().trial(log->first);
                if (trial.status == TrialStatus::running) {
                    ++log;
                } else {
                    log->second.print_rest();
                    ends[log->first] = {log->second.offset(), trial.group.generation};
                    log = logs.erase(log);
                }
            }
            const bool has_ended = options.trial && sweep.history.sweep().trial(TrialId{*options.trial}).ended();
            if (!sweep.holder || has_ended) {
                break;
            }
            next_look = Clock::now() + pause_after(begin);  // each look reads the whole journal
        }
        for (auto& [trial, log] : logs) {
            log.print();
        }
        std::fflush(stdout);
        std::this_thread::sleep_for(std::chrono::milliseconds(200));
    }
    for (auto& [trial, log] : logs) {
        log.print_rest();
    }
}

ExitCode logs(const LogsOptions& options) {
    const RecordedSweep sweep(options.directory);
    const auto& trials = sweep.history.sweep().trials();
    const bool has_ended = options.trial && known_trial(sweep.history.sweep(), TrialId{*options.trial}).ended();
    if (options.follows && !has_ended && sweep.holder) {
        follow(sweep.directory, options);
        return ExitCode::done;
    }
    std::int64_t num_bytes = 0;
    const auto show = [&](PrintedLog log) {
        log.print_rest(options.num_lines);
        num_bytes += log.offset();
    };
    for (const auto& trial : trials) {
        if (!options.trial || *options.trial == trial.id.value) {
            const auto offset = begin_of(sweep.directory.log(trial.id), options.num_lines);
            show(printed(sweep.directory, options, trial.id, offset));
        }
    }
    if (!options.trial) {
        const auto log = sweep.directory.worker_log();
        show(PrintedLog(log, "", begin_of(log, options.num_lines)));
    }
    if (num_bytes == 0) {
        remark(options.trial ? fmt::format("trial {} has printed nothing", *options.trial)
                             : "no trial has printed anything");
    }
    return ExitCode::done;
}

}  // namespace

void add_logs_command(CLI::App& app, ExitCode& code) {
    auto options = std::make_shared<LogsOptions>();
    auto* command = app.add_subcommand("logs", "Show the output of trials");
    add_directory_argument(*command, options->directory);
    command->add_option("TRIAL", options->trial, "Only this trial; default: all, each line after its trial's number")
        ->check(at_least(0));
    command->add_flag("-f,--follow", options->follows,
                      "Follow the output until the trial or the session ends; without TRIAL, only of running trials");
    command->add_option("-n,--lines", options->num_lines, "Only the last N lines of each trial")->check(at_least_one());
    command->footer("Example:\n  crescendo logs results/first 17\n  crescendo logs results/first -f -n 10");
    command->callback([options, &code] { code = logs(*options); });
}

}  // namespace crescendo::launch
