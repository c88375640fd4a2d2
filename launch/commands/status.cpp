#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <memory>

#include "core/median.hpp"
#include "core/shell_words.hpp"
#include "launch/batch/batch_system.hpp"
#include "launch/commands/commands.hpp"
#include "launch/commands/options.hpp"
#include "launch/directory/recorded_sweep.hpp"
#include "launch/directory/standing.hpp"
#include "launch/display/number_text.hpp"
#include "launch/display/printable.hpp"
#include "launch/files/read_file.hpp"
#include "launch/view/progress.hpp"
#include "launch/view/results.hpp"

namespace crescendo::launch {
namespace {

struct StatusOptions {
    std::filesystem::path directory;
    Format format = Format::table;
    std::string price;
};

/// For each running trial that has grown: its samples per second relative to its first group.
OrderedJson speedups_json(const Sweep& sweep) {
    OrderedJson speedups = OrderedJson::array();
    for (const auto& trial : sweep.trials()) {
        const auto predicted = sweep.growth().predicted_speedup(trial.id);
        const auto measured = sweep.growth().measured_speedup(trial.id);
        if (trial.status == TrialStatus::running && (predicted || measured)) {
            speedups.push_back({{"trial", trial.id.value},
                                {"workers", trial.group.slots.size()},
                                {"predicted", predicted},
                                {"measured", measured}});
        }
    }
    return speedups;
}

/// The number of trials by the origin of their configurations.
OrderedJson proposals_json(const Sweep& sweep) {
    OrderedJson proposals = OrderedJson::object();
    for (const auto& [origin, word] : origins) {
        const auto number = std::ranges::count(sweep.trials(), origin, &Trial::origin);
        if (number > 0) {
            proposals[std::string(word)] = number;
        }
    }
    return proposals;
}

/// Notes and tags of users; empty if there are none.
OrderedJson annotations_json(const History& history) {
    const auto& annotations = history.annotations();
    OrderedJson json = OrderedJson::object();
    if (const auto& tags = annotations.tags({}); !tags.empty()) {
        json["tags"] = tags;
    }
    for (const auto& trial : history.sweep().trials()) {
        if (const auto& tags = annotations.tags(trial.id); !tags.empty()) {
            json["trial_tags"][std::to_string(trial.id.value)] = tags;
        }
    }
    for (const auto& note : annotations.user_notes()) {
        auto& entry = json["notes"].emplace_back(OrderedJson::object());
        if (note.trial) {
            entry["trial"] = note.trial->value;
        }
        entry["text"] = note.text;
        entry["time"] = note.time;
    }
    return json;
}

/// Median times of regroups. Our own phases come first, in their order; then those of other trainers.
OrderedJson regroups_json(const History& history) {
    auto phases = history.regroup_phases();
    OrderedJson json{{"count", history.regroup_seconds().size()}, {"seconds", median(history.regroup_seconds())}};
    for (const char* phase : {"decide", "group", "state", "data", "step"}) {
        if (auto known = phases.extract(phase)) {
            json[phase] = median(known.mapped());
        }
    }
    for (const auto& [phase, seconds] : phases) {
        json[phase] = median(seconds);
    }
    return json;
}

/// What the user can do about a sweep in this state, whose last job is `job`; empty if there is nothing to say.
std::string hint_of(const RecordedSweep& recorded, Standing standing, const std::string& job) {
    if (standing == Standing::queued) {
        return fmt::format("`{}` shows what the job is waiting for", batch_system()->state_command(job));
    }
    if (standing == Standing::unknown) {
        return fmt::format("{} does not report whether the sweep's last job is over; check with `{}`",
                           batch_system()->name(), batch_system()->state_command(job));
    }
    if (standing == Standing::stopped && !job.empty() && recorded.history.sessions().empty() &&
        !is_there(recorded.directory.job_log(batch_system()->id_in_job(job)))) {
        return fmt::format(
            "job {} ended and left no log here: unless it was cancelled while queued, its nodes do not see {}; start "
            "the sweep in a folder on a file system that all nodes share",
            job, shell_quoted(std::filesystem::absolute(recorded.directory.path())));
    }
    if (recorded.history.sweep().waits_for_release()) {
        return held_hint(recorded.history.sweep(), shell_quoted(recorded.directory.path()));
    }
    const auto advice = hint(recorded.history, recorded.file);
    if (standing != Standing::stopped || !advice.empty()) {
        return advice;
    }
    const auto log = recorded.directory.job_log(batch_system()->id_in_job(job));
    return fmt::format("`{}` continues it{}", recorded.directory.way_to_continue(),
                       job.empty() || !is_there(log) ? "" : fmt::format("; {} shows why it stopped", log.string()));
}

OrderedJson status_json(const RecordedSweep& recorded, const std::string& price) {
    const auto& sweep = recorded.history.sweep();
    const auto progress =
        progress_of(recorded.history, recorded.history.last_time(), recorded.file.time_budget_seconds());
    const auto standing = standing_of(recorded);
    OrderedJson status;
    status["name"] = recorded.file.name;
    status["state"] = standings.of(standing);
    if (const auto reason = sweep.finish_reason()) {
        status["reason"] = finish_reason_texts.of(*reason);
    }
    status["directory"] = recorded.directory.path().string();
    const auto job = recorded.directory.job();
    if (!job.empty()) {
        status["job"] = job;
    }
    status.update(annotations_json(recorded.history));
    status["limits"] = recorded.limits();
    status["progress"] = progress.fraction;
    status["elapsed_seconds"] = recorded.history.elapsed();
    status["slots"] = sweep.num_slots();
    status.update(spending_json(recorded.history, price_of_slot_hour(recorded, price)));
    for (const auto& [slot, device] : recorded.history.left_out()) {
        status["slots_left_out"].push_back(slot);
        status["devices_left_out"].push_back(device);
    }
    status["trials"] = {{"begun", progress.begun()},     {"running", progress.running}, {"waiting", progress.waiting},
                        {"paused", progress.paused},     {"held", progress.held},       {"stopped", progress.stopped},
                        {"finished", progress.finished}, {"failed", progress.failed}};
    if (const Trial* failed = last_failed(sweep)) {
        status["last_failure"] =
            fmt::format("trial {}: {}", failed->id.value, recorded.history.of(failed->id).last_failure);
    }
    status["sampler"] = sweep.spec().sampler;
    status["proposals"] = proposals_json(sweep);
    status["rungs"] = OrderedJson::array();
    const auto* counted = sweep.spec().repeat.is_on() ? "configurations" : "trials";
    for (const auto& rung : shown_rungs(sweep)) {
        status["rungs"].push_back({{"at", rung.milestone.value}, {counted, rung.size}});
    }
    if (const auto best = sweep.best()) {
        const auto& trial = sweep.trial(*best);
        status["best"] = {{"trial", best->value},
                          {"resource", trial.resource.value},
                          {sweep.spec().metric, best_value(sweep, *best)}};
        if (auto judge = judge_text(sweep, *best); !judge.empty()) {
            status["best"]["judge"] = std::move(judge);
        }
    } else {
        status["best"] = nullptr;
    }
    status["speedups"] = speedups_json(sweep);
    if (!recorded.history.regroup_seconds().empty()) {
        status["regroups"] = regroups_json(recorded.history);
    }
    status["data_wait"] = recorded.history.data_wait();
    if (auto advice = hint_of(recorded, standing, job); !advice.empty()) {
        status["hint"] = std::move(advice);
    }
    return status;
}

std::string line_of(const OrderedJson& value) {
    if (!value.is_structured()) {
        return value.is_string()         ? value.get<std::string>()
               : value.is_number_float() ? number_text(value)
                                         : value.dump();
    }
    std::string result;
    for (const auto& [name, each] : value.items()) {
        result += fmt::format("{}{}{}", result.empty() ? "" : ", ", value.is_array() ? "" : name + " ", line_of(each));
    }
    return result;
}

/// "trial 1: diverged; new data": a note without a trial is about the sweep.
std::string text_of_notes(const OrderedJson& notes) {
    std::string result;
    for (const auto& note : notes) {
        const auto about = note.contains("trial") ? fmt::format("trial {}: ", note.at("trial").get<int>()) : "";
        result += fmt::format("{}{}{}", result.empty() ? "" : "; ", about, note.at("text").get<std::string>());
    }
    return result;
}

/// "9 at 1, 3 at 3": the number of trials, or of configurations, at each rung.
std::string text_of_rungs(const OrderedJson& rungs) {
    std::string result;
    for (const auto& rung : rungs) {
        result += fmt::format("{}{} at {}", result.empty() ? "" : ", ", rung.back().get<std::int64_t>(),
                              rung.front().get<std::int64_t>());
    }
    return result;
}

/// Keeps only the first entries of a list. Returns how many it removed.
std::size_t shorten(OrderedJson& list) {
    constexpr std::size_t most = 8;
    std::size_t num_left_out = 0;
    for (; list.size() > most; ++num_left_out) {
        list.erase(std::prev(list.end()));
    }
    return num_left_out;
}

ExitCode status(const StatusOptions& options) {
    auto status = status_json(RecordedSweep(options.directory), options.price);
    if (options.format == Format::json) {
        fmt::print("{}", in_lines(status));
        return ExitCode::done;
    }
    if (options.format == Format::table && status.contains("last_failure")) {
        status["last_failure"] = in_one_line(status["last_failure"].get<std::string>());
    }
    Table table({"what", "value"});
    for (auto& [name, value] : status.items()) {
        const bool is_list_of_nothing = value.is_structured() && value.empty();  // speedups if no trial has grown
        const bool is_missing = value.is_null() && name != "best" && options.format == Format::table;
        if (is_list_of_nothing || is_missing) {
            continue;
        }
        // Thousands of trials may have grown, or have tags. People see some of them; programs get all.
        const bool is_long = (value.is_array() && name != "rungs") || name == "trial_tags";
        const auto num_left_out = is_long && options.format == Format::table ? shorten(value) : 0;
        auto text = name == "notes" ? text_of_notes(value) : name == "rungs" ? text_of_rungs(value) : line_of(value);
        text += num_left_out > 0 ? fmt::format(", and {} more", num_left_out) : "";
        table.add_row({name, value.is_null() ? Cell{} : Cell{text}});
    }
    fmt::print("{}", table.print(options.format));
    return ExitCode::done;
}

}  // namespace

void add_status_command(CLI::App& app, ExitCode& code) {
    auto options = std::make_shared<StatusOptions>();
    auto* command = app.add_subcommand("status", "Show a sweep's state: queued, running, stopped, finished or failed");
    add_directory_argument(*command, options->directory);
    add_format_option(*command, options->format);
    add_price_option(*command, options->price);
    command->footer("Example:\n  crescendo status results/first --format json");
    command->callback([options, &code] { code = status(*options); });
}

}  // namespace crescendo::launch
