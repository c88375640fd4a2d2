#include "launch/view/results.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <ranges>

#include "launch/directory/waste.hpp"
#include "launch/display/number_text.hpp"
#include "launch/display/printable.hpp"
#include "launch/files/read_file.hpp"
#include "launch/journal/cost.hpp"
#include "launch/json/value_json.hpp"
#include "launch/json/whole_numbers.hpp"
#include "launch/view/progress.hpp"
#include "scheduler/loss.hpp"

namespace crescendo::launch {
namespace {

OrderedJson result_json(const History& history, const SweepDirectory& directory, const Trial& best,
                        std::optional<double> price_of_slot_hour) {
    OrderedJson result;
    result["trial"] = best.id.value;
    result["status"] = to_string(best.status);
    result["resource"] = best.resource.value;
    result["config"] = launch::to_json(with_whole_numbers(best.config, history.sweep().spec().space));
    result.update(repetition_json(history.sweep(), best.id));
    const auto& seen = history.of(best.id);
    result["seconds"] = seen.reports.empty() ? Json(nullptr) : Json(seen.reports.back().seconds);
    const double slot_seconds = history.slot_seconds_of(best.id);
    result["slot_hours"] = slot_seconds / 3600;
    result["cost"] = cost_of(slot_seconds, price_of_slot_hour);
    if (seen.gpu_joules) {
        result["gpu_joules"] = *seen.gpu_joules;
    }
    result["metrics"] = seen.reports.empty() ? Json::object() : launch::to_json(seen.reports.back().metrics);
    const auto& test = history.test();
    result["test"] = test && test->trial == best.id ? launch::to_json(test->metrics) : Json(nullptr);
    const auto checkpoint = directory.checkpoint(best.id);
    result["checkpoint"] = is_there(checkpoint) ? Json(checkpoint.string()) : Json(nullptr);
    result["folder"] = directory.trial(best.id).string();
    return result;
}

void add_rows(Table& table, const std::string& group, const OrderedJson& values) {
    for (const auto& [name, value] : values.items()) {
        table.add_row({group, name, cell_from(value)});
    }
}

/// The number of repetitions of the trial's configuration that failed. They do not count in its judged value.
int failed_repetitions(const Sweep& sweep, TrialId trial) {
    return static_cast<int>(std::ranges::count(sweep.repetitions_of(trial), TrialStatus::failed, &Trial::status));
}

/// Whether the sweep has rungs to judge trials, and no trial reached one.
bool has_empty_rungs(const Sweep& sweep) {
    const auto rungs = sweep.rungs();
    return rungs.size() >= 2 && std::ranges::none_of(rungs, [](const RungSize& rung) { return rung.size > 0; });
}

/// Whether all trials ended before scheduler.max, and none because it had reached its target.
bool has_missed_max(const Sweep& sweep) {
    const auto& scheduler = sweep.spec().scheduler;
    return scheduler.has_max() && std::ranges::none_of(sweep.trials(), [&](const Trial& trial) {
               return trial.resource >= scheduler.max || trial.reason == StopReason::reached;
           });
}

}  // namespace

std::optional<double> judged_value(const Sweep& sweep, TrialId trial) {
    const auto loss = sweep.spec().repeat.is_on() ? sweep.candidate_of(trial).loss : std::nullopt;
    return loss ? std::optional(from_loss(sweep.spec().goal, *loss)) : std::nullopt;
}

OrderedJson repetition_json(const Sweep& sweep, TrialId trial) {
    const auto& repeat = sweep.spec().repeat;
    if (!repeat.is_on()) {
        return OrderedJson::object();
    }
    OrderedJson json{{"configuration", repeat.configuration_of(trial).value},
                     {"repetition", repeat.repetition_of(trial)},
                     {"judge", judges.of(repeat.judge)},
                     {"judged", judged_value(sweep, trial)}};
    if (const int failed = failed_repetitions(sweep, trial); failed > 0) {
        json["failed_repetitions"] = failed;
    }
    return json;
}

double best_value(const Sweep& sweep, TrialId best) {
    return from_loss(sweep.spec().goal, *sweep.candidate_of(best).loss);
}

std::vector<TrialId> ranking(const Sweep& sweep) {
    std::vector<TrialId> ranking;
    for (const auto& trial : sweep.trials()) {
        if (trial.may_be_best()) {
            ranking.push_back(trial.id);
        }
    }
    std::ranges::stable_sort(ranking, {}, [&](TrialId id) {
        return std::pair(sweep.candidate_of(id).loss.value_or(worst_loss), *sweep.trial(id).loss);
    });
    return ranking;
}

std::string judge_text(const Sweep& sweep, TrialId trial) {
    const auto& repeat = sweep.spec().repeat;
    if (!repeat.is_on()) {
        return "";
    }
    const int failed = failed_repetitions(sweep, trial);
    return fmt::format("{} of {}{}", judges.of(repeat.judge), repeat.times,
                       failed > 0 ? fmt::format(", {} failed", failed) : "");
}

OrderedJson best_json(const History& history, const SweepDirectory& directory, std::optional<double> price_of_slot_hour,
                      std::optional<TrialId> trial) {
    const auto best = trial ? trial : history.sweep().best();
    return best ? result_json(history, directory, history.sweep().trial(*best), price_of_slot_hour) : OrderedJson();
}

std::string best_text(const History& history, const SweepDirectory& directory, Format format,
                      std::optional<double> price_of_slot_hour, std::optional<TrialId> trial) {
    const auto json = best_json(history, directory, price_of_slot_hour, trial);
    if (format == Format::json) {
        return in_lines(json);
    }
    if (json.is_null()) {
        return history.why_no_best() + "\n";
    }
    Table table({"what", "name", "value"});
    for (const auto* key : {"trial", "status", "resource", "configuration", "repetition", "judge", "judged",
                            "failed_repetitions", "seconds", "slot_hours", "cost", "gpu_joules"}) {
        if (json.contains(key) && !json.at(key).is_null()) {
            add_rows(table, "trial", {{key, json.at(key)}});
        }
    }
    add_rows(table, "parameter", json.at("config"));
    add_rows(table, "metric", json.at("metrics"));
    if (json.at("test").is_object()) {
        add_rows(table, "test", json.at("test"));
    }
    if (json.at("checkpoint").is_string()) {
        add_rows(table, "file", {{"checkpoint", json.at("checkpoint")}});
    } else if (has_left_files(TrialId{json.at("trial")}, directory)) {
        add_rows(table, "file", {{"folder", json.at("folder")}});
    }
    return table.print(format);
}

OrderedJson spending_json(const History& history, std::optional<double> price_of_slot_hour) {
    OrderedJson spent{{"slot_hours", history.slot_seconds() / 3600},
                      {"idle_slot_hours", history.idle_slot_seconds() / 3600},
                      {"cost", cost_of(history.slot_seconds(), price_of_slot_hour)},
                      {"idle_cost", cost_of(history.idle_slot_seconds(), price_of_slot_hour)}};
    if (const auto& joules = history.energy().cpus) {
        spent["cpu_joules"] = *joules;
    }
    if (const auto& joules = history.energy().gpus) {
        spent["gpu_joules"] = *joules;
    }
    return spent;
}

std::string spending_text(const History& history, std::optional<double> price_of_slot_hour) {
    const auto with_cost = [&](double slot_seconds, const char* what) {
        const auto cost = cost_of(slot_seconds, price_of_slot_hour);
        return fmt::format("{} {}{}", number_text(slot_seconds / 3600), what,
                           cost ? fmt::format(" (cost {})", number_text(*cost)) : "");
    };
    return fmt::format("slot-hours: {}, {}", with_cost(history.slot_seconds(), "used"),
                       with_cost(history.idle_slot_seconds(), "idle"));
}

int num_without_sampler(const SweepFile& file, const Sweep& sweep) {
    return file.sampler ? static_cast<int>(std::ranges::count(sweep.candidates(), Origin::random, &Trial::origin)) : 0;
}

std::string hint(const History& history, const SweepFile& file) {
    const auto& sweep = history.sweep();
    if (const int num_random = num_without_sampler(file, sweep); num_random > 0) {
        return fmt::format(
            "{} of {} configurations were drawn at random, because the sampler failed; sampler.log in the sweep's "
            "directory has its output",
            num_random, sweep.candidates().size());
    }
    const auto end = sweep.state() == SweepState::finished ? last_end(sweep) : std::nullopt;
    if (end && has_empty_rungs(sweep)) {
        return fmt::format(
            "no trial was judged: all programs ended at {} or earlier, before the first rung at {}; choose a smaller "
            "scheduler.min, or let them train longer",
            end->value, sweep.rungs().front().milestone.value);
    }
    if (end && has_missed_max(sweep)) {
        return fmt::format(
            "no trial reached scheduler.max, which is {}: all programs ended at {} or earlier; choose a smaller max, "
            "or let them train longer",
            sweep.spec().scheduler.max.value, end->value);
    }
    const auto wait = history.data_wait();
    if (!wait || *wait <= 0.1) {
        return "";
    }
    const char* remedy = file.trainer ? "increase data.threads or data.memory, or rechunk the file (`crescendo data "
                                        "bench` measures how fast it is read here)"
                                      : "read ahead with more threads or processes, or from a faster disk";
    return fmt::format("trials spend {:.0f} % of their time waiting for data; {}", 100 * *wait, remedy);
}

std::string brief(const Config& config, std::size_t most) {
    std::string result;
    for (const auto& [name, value] : config | std::views::take(most)) {
        const auto* number = std::get_if<double>(&value);
        result +=
            fmt::format("{}{}={}", result.empty() ? "" : " ", name, number ? number_text(*number) : to_string(value));
    }
    return printable_line(result) + (config.size() > most ? fmt::format(" and {} more", config.size() - most) : "");
}

std::string clock_text(double seconds) {
    const auto whole = static_cast<long>(std::max(0.0, seconds));
    return whole < 3600 ? fmt::format("{}:{:02}", whole / 60, whole % 60)
                        : fmt::format("{}:{:02}:{:02}", whole / 3600, whole / 60 % 60, whole % 60);
}

const Trial* last_failed(const Sweep& sweep) {
    const auto& trials = sweep.trials();
    const auto failed = std::find_if(trials.rbegin(), trials.rend(),
                                     [](const Trial& trial) { return trial.status == TrialStatus::failed; });
    return failed == trials.rend() ? nullptr : &*failed;
}

std::string held_hint(const Sweep& sweep, const std::string& directory) {
    const auto held = std::ranges::find(sweep.trials(), TrialStatus::held, &Trial::status);
    return fmt::format("all remaining trials are paused by request; `crescendo resume {} {}` continues one", directory,
                       held->id.value);
}

}  // namespace crescendo::launch
