#include "launch/report/sweep_data.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "core/check.hpp"
#include "core/mapped.hpp"
#include "core/shell_words.hpp"
#include "launch/directory/recorded_sweep.hpp"
#include "launch/directory/reopening.hpp"
#include "launch/directory/standing.hpp"
#include "launch/directory/sweep_lock.hpp"
#include "launch/journal/cost.hpp"
#include "launch/report/best_so_far.hpp"
#include "launch/report/chronicle.hpp"
#include "launch/report/judged_at.hpp"
#include "launch/report/numbers.hpp"
#include "launch/report/parameter_importance.hpp"
#include "launch/report/slot_use.hpp"
#include "launch/view/progress.hpp"
#include "launch/view/results.hpp"
#include "launch/view/trials_table.hpp"
#include "scheduler/space/grid.hpp"

namespace crescendo::launch {
namespace {

constexpr int num_use_steps = 400;
constexpr int time_digits = 8;

/// Adds the table of `crescendo trials`, cell for cell, and the columns of the metric and the parameters.
void add_trials(OrderedJson& data, const History& history, std::optional<double> price_of_slot_hour) {
    const auto columns = trial_columns(history);
    data["metric_column"] = columns.metric;
    data["ranked_by"] = columns.ranked_by;
    data["parameters"] = parameters_json(history.sweep().spec().space);
    for (auto& parameter : data["parameters"]) {
        parameter["column"] = columns.parameters.at(parameter.at("name").get<std::string>());
    }
    data["parameters_left_out"] = undrawn_parameters_json(history.sweep().spec().space);
    const auto table = trials_table(history, price_of_slot_hour);
    data["columns"] = table.columns();
    data["rows"] = mapped(table.rows(), [](const auto& row) { return mapped(row, cell_json); });
}

/// The maximum number of points per curve, so that all curves together have at most `most_points`. Shorter curves keep
/// all points.
std::size_t longest_curve(std::vector<std::size_t> sizes, std::size_t most_points) {
    std::ranges::sort(sizes);
    std::size_t left = most_points;
    for (std::size_t i = 0; i < sizes.size(); ++i) {
        const auto share = left / (sizes.size() - i);
        if (sizes[i] > share) {
            return std::max<std::size_t>(2, share);
        }
        left -= sizes[i];
    }
    return std::max<std::size_t>(2, most_points);
}

/// Indices of the reports that a curve keeps: the first, the last, evenly spaced ones between, and those that rungs
/// judged.
std::set<std::size_t> kept_of(const std::vector<TrialReport>& reports, std::size_t most,
                              const std::vector<RungSize>& rungs) {
    std::set<std::size_t> kept;
    const auto count = std::min(reports.size(), most);
    for (std::size_t i = 0; i < count; ++i) {
        kept.insert(count == 1 ? 0 : i * (reports.size() - 1) / (count - 1));
    }
    for (const auto& rung : rungs) {
        const auto at = std::ranges::lower_bound(reports, rung.milestone, {}, &TrialReport::resource);
        if (at != reports.end()) {
            kept.insert(static_cast<std::size_t>(at - reports.begin()));
        }
    }
    return kept;
}

/// Adds one curve per trial: its resources, values of the metric, times, and numbers of workers.
void add_curves(OrderedJson& data, const History& history, std::size_t most_points) {
    const auto& sweep = history.sweep();
    const auto rungs = shown_rungs(sweep);
    const auto sizes = mapped(sweep.trials(), [&](const Trial& each) { return history.of(each.id).reports.size(); });
    const auto longest = longest_curve(sizes, most_points);
    std::size_t num_left_out = 0;
    data["curves"] = OrderedJson::array();
    for (const auto& trial : sweep.trials()) {
        const auto& reports = history.of(trial.id).reports;
        auto resources = OrderedJson::array(), values = OrderedJson::array(), times = OrderedJson::array(),
             workers = OrderedJson::array();
        for (const auto i : kept_of(reports, longest, rungs)) {
            resources.push_back(reports[i].resource.value);
            values.push_back(number_json(metric_of(reports[i], sweep.spec().metric), metric_digits));
            times.push_back(number_json(reports[i].time, time_digits));
            workers.push_back(reports[i].workers);
        }
        num_left_out += reports.size() - resources.size();
        data["curves"].push_back({resources, values, times, workers});
    }
    data["points_left_out"] = num_left_out;
}

/// Every improvement of the best value so far: time, slot-hours until then, value, trial.
OrderedJson best_so_far_json(const Chronicle& chronicle) {
    const auto improvements = best_so_far(chronicle.history());
    const auto times = mapped(improvements, [](const auto& each) { return each.time; });
    const auto slot_seconds = slot_seconds_at(chronicle.spans(), times);
    auto result = OrderedJson::array();
    for (std::size_t i = 0; i < improvements.size(); ++i) {
        const auto& [time, trial, value] = improvements[i];
        result.push_back({number_json(time, time_digits), number_json(slot_seconds[i] / 3600, time_digits),
                          number_json(value, metric_digits), trial.value});
    }
    return result;
}

/// Adds which trial held which slots when; only the longest spans if there are too many.
void add_spans(OrderedJson& data, const Chronicle& chronicle, std::size_t most) {
    auto spans = mapped(chronicle.spans(), [](const Span& each) { return &each; });
    if (spans.size() > most) {
        const auto area = [](const Span* span) {
            return -(span->to - span->from) * static_cast<double>(span->slots.size());
        };
        std::ranges::nth_element(spans, spans.begin() + static_cast<std::ptrdiff_t>(most), {}, area);
        spans.resize(most);
    }
    std::ranges::sort(spans, {}, [](const Span* span) { return std::pair(span->from, span->trial); });
    data["spans"] = OrderedJson::array();
    for (const auto* span : spans) {
        data["spans"].push_back(
            {span->trial.value, number_json(span->from, time_digits), number_json(span->to, time_digits), span->slots});
    }
    data["spans_left_out"] = chronicle.spans().size() - spans.size();
}

void add_slots(OrderedJson& data, const Chronicle& chronicle, std::size_t most_spans) {
    data["lanes"] = OrderedJson::array();
    for (const auto& lane : chronicle.lanes()) {
        data["lanes"].push_back(
            {lane.slot.value, lane.node.value, number_json(lane.from, time_digits), number_json(lane.to, time_digits)});
    }
    add_spans(data, chronicle, most_spans);
    const auto use = slot_use(chronicle.spans(), chronicle.lanes(), chronicle.history().elapsed(), num_use_steps);
    data["use"] = {{"step", use.step}, {"there", numbers_json(use.there, 4)}, {"held", numbers_json(use.held, 4)}};
    // The share of the slot-hours that the page shows, which leave out the final test.
    const double had = chronicle.history().slot_seconds_had();
    data["utilization"] = had > 0 ? chronicle.history().slot_seconds() / had : 0;
}

void add_happenings(OrderedJson& data, const Chronicle& chronicle) {
    data["faults"] = OrderedJson::array();
    for (const auto& fault : chronicle.faults()) {
        data["faults"].push_back(
            {number_json(fault.time, time_digits), fault.trial, fault.slot, fault.kind, fault.message});
    }
    data["sessions"] = OrderedJson::array();
    for (const auto& session : chronicle.history().sessions()) {
        data["sessions"].push_back({number_json(session.elapsed, time_digits), session.host});
    }
}

/// The rung at which a trial was judged and cut; none for the others, such as those that `median` stops without rungs.
std::optional<Resource> cut_at(const Sweep& sweep, const Trial& trial) {
    const auto rung = sweep.next_milestone(trial.id);
    return trial.reason == StopReason::judged && trial.resource >= rung ? std::optional(rung) : std::nullopt;
}

/// cut_at() of each trial, or null.
OrderedJson cuts_json(const Sweep& sweep) {
    return mapped(sweep.trials(), [&](const Trial& each) { return cut_at(sweep, each); });
}

/// For each trial: the number of rungs that it has reached, counted from the lowest.
OrderedJson rungs_reached_json(const Sweep& sweep) {
    const auto rungs = shown_rungs(sweep);
    return mapped(sweep.trials(), [&](const Trial& trial) {
        const auto is_reached = [&](const RungSize& rung) { return has_reached(sweep, trial, rung.milestone); };
        return std::ranges::count_if(rungs, is_reached);
    });
}

/// For each rung: how many trials reached it and continued, and what its cut saved. The worst that continued and the
/// best that was cut have the values by which the rung judged them: with `repeat`, those of their configurations.
OrderedJson rungs_json(const History& history) {
    const auto& sweep = history.sweep();
    const auto& scheduler = sweep.spec().scheduler;
    const auto max = scheduler.max.value;
    const auto goal = sweep.spec().goal;
    auto result = OrderedJson::array();
    for (const auto& rung : shown_rungs(sweep)) {
        std::int64_t reached = 0, went_on = 0, cut = 0, saved = 0;
        double worst_kept = -std::numeric_limits<double>::infinity();
        double best_cut = std::numeric_limits<double>::infinity();
        for (const auto& trial : sweep.trials()) {
            const auto& reports = history.of(trial.id).reports;
            const auto at = std::ranges::lower_bound(reports, rung.milestone, {}, &TrialReport::resource);
            if (at == reports.end() || !has_reached(sweep, trial, rung.milestone)) {
                continue;
            }
            ++reached;
            const auto configuration = sweep.spec().repeat.configuration_of(trial.id);
            const auto value = judged_at(history, configuration, rung.milestone);
            const double loss = value ? to_loss(goal, *value) : worst_loss;
            if (rung.milestone < sweep.next_milestone(trial.id)) {
                ++went_on;
                worst_kept = std::max(worst_kept, loss);
            } else if (cut_at(sweep, trial) == rung.milestone) {
                ++cut;
                saved += std::max<std::int64_t>(0, max - trial.resource.value);
                best_cut = std::min(best_cut, loss);
            }
        }
        const auto metric = [&](double loss) { return number_json(from_loss(goal, loss), metric_digits); };
        result.push_back({{"at", rung.milestone.value},
                          {"reached", reached},
                          {"went_on", went_on},
                          {"cut", cut},
                          {"worst_that_went_on", metric(worst_kept)},
                          {"best_that_was_cut", metric(best_cut)},
                          {"resource_saved", scheduler.has_max() ? OrderedJson(saved) : OrderedJson(nullptr)}});
    }
    return result;
}

/// The trial whose output may say why no trial has a value: the first failed one, or the first one.
TrialId first_to_look_at(const Sweep& sweep) {
    const auto failed = std::ranges::find(sweep.trials(), TrialStatus::failed, &Trial::status);
    return failed == sweep.trials().end() ? TrialId{0} : failed->id;
}

/// A setting with which a finished sweep would have more to do. Empty if there is none, as after the last point of a
/// grid.
std::string extension_of(const RecordedSweep& recorded) {
    const auto& sweep = recorded.history.sweep();
    if (sweep.finish_reason() == FinishReason::time_up) {
        return fmt::format("budget.time={:.0f}s", std::ceil(2 * recorded.file.time_budget_seconds().value_or(1)));
    }
    if (sweep.finish_reason() != FinishReason::all_trials_done) {
        return "";
    }
    const auto& spec = sweep.spec();
    if (spec.sampler == "grid" &&
        std::cmp_greater_equal(sweep.candidates().size(), Grid(spec.space).num_configurations())) {
        return "";
    }
    const auto doubled = std::to_string(2 * sweep.candidates().size());
    try {
        Reopening reopening(recorded);
        reopening.set({{"run_cap", doubled}});
        return reopening.sweep().state() == SweepState::running ? "run_cap=" + doubled : "";
    } catch (const InvalidInput&) {
        return "";  // this scheduler cannot continue
    }
}

/// `standing` is none if the journal is damaged.
OrderedJson next_steps(std::optional<Standing> standing, const History& history, const SweepDirectory& directory,
                       const std::string& extension) {
    const auto where = shell_quoted(directory.path());
    auto steps = OrderedJson::array();
    const auto add = [&](const std::string& command, const char* why) { steps.push_back({command, why}); };
    const auto& sweep = history.sweep();
    if (!sweep.best() && !sweep.trials().empty()) {
        const auto trial = first_to_look_at(sweep);
        add(fmt::format("crescendo logs {} {}", where, trial.value), "the output of a trial without a value");
    }
    if (standing && is_open(*standing)) {
        add("crescendo top " + where, "watch it");
        add("crescendo report " + where, "write this page again");
    } else if (standing == Standing::stopped) {
        if (sweep.count(TrialStatus::failed) > 0) {
            add(directory.way_to_retry(), "retry the failed trials, once the cause is fixed, and continue");
        }
        add(directory.way_to_continue(), "continue where it stopped");
    } else if (standing == Standing::failed) {
        add(directory.way_to_retry(), "try the failed trials again");
    } else {
        if (sweep.best()) {
            add("crescendo best " + where, "the best configuration, and its checkpoint");
            add("crescendo retrain " + where, "train it again with other seeds, to see how certain its value is");
        }
        if (!extension.empty()) {
            add(directory.way_to_extend(extension), "search twice as long");
        }
    }
    add("crescendo trials " + where + " --format csv > trials.csv", "every trial, for other tools");
    return steps;
}

OrderedJson versions_json(const SweepDirectory& directory) {
    OrderedJson result = OrderedJson::object();
    const auto run = directory.read_run();
    for (const auto& [key, value] : run.items()) {
        result[key] = value.is_string() ? value.get<std::string>() : one_line(value);
    }
    return result;
}

/// The sweep file's content at the beginning; nothing if the journal is damaged, which Chronicle reports.
std::optional<FrozenFile> frozen_file(const std::filesystem::path& journal) {
    try {
        return FrozenFile::recorded_in(journal);
    } catch (const InvalidInput&) {
        return std::nullopt;
    }
}

}  // namespace

OrderedJson sweep_data(const std::filesystem::path& path, const PageLimits& limits, JobWatch* watch) {
    const auto directory = SweepDirectory::open(path);
    const auto frozen = frozen_file(directory.journal());
    const auto file = read_first_file(directory, frozen);
    const auto holder = SweepLock::holder(directory, watch);
    const auto chronicle = Chronicle::read(file.spec, directory.journal(), holder.has_value());
    const auto& history = chronicle.history();
    const auto& sweep = history.sweep();
    std::optional<Standing> standing;
    std::string extension;
    if (chronicle.problem().empty()) {
        standing = standing_of(directory, sweep, holder, watch);
        extension = standing == Standing::finished ? extension_of(RecordedSweep(path)) : "";
    }
    const auto price = price_of_slot_hour(file.price, history);

    OrderedJson data;
    data["name"] = file.name;
    data["directory"] = directory.path().string();
    data["state"] = standing ? standings.of(*standing) : "damaged";
    data["reason"] =
        sweep.finish_reason() ? OrderedJson(finish_reason_texts.of(*sweep.finish_reason())) : OrderedJson(nullptr);
    data["problem"] = chronicle.problem();
    data["metric"] = sweep.spec().metric;
    data["goal"] = goals.of(sweep.spec().goal);
    data["scheduler"] = scheduler_kinds.of(sweep.spec().scheduler.kind);
    data["sampler"] = sweep.spec().sampler;
    data["max"] = sweep.spec().scheduler.max.value;
    data["elapsed"] = history.elapsed();
    data["spending"] = spending_json(history, price);
    data["hint"] = hint(history, file);
    data["num_trials"] = num_begun(sweep);
    data["ranking"] = ranking(sweep);
    data["best"] = best_json(history, directory, price);
    data["next"] = next_steps(standing, history, directory, extension);
    add_trials(data, history, price);
    add_curves(data, history, limits.most_points);
    data["best_so_far"] = best_so_far_json(chronicle);
    add_slots(data, chronicle, limits.most_spans);
    add_happenings(data, chronicle);
    data["regroups"] = history.regroup_seconds().size();
    data["rungs"] = rungs_json(history);
    data["rungs_reached"] = rungs_reached_json(sweep);
    data["cut_at"] = cuts_json(sweep);
    data["importances"] = importances_json(history, limits.most_samples);
    data["file"] = file.text;
    data["versions"] = versions_json(directory);
    return data;
}

}  // namespace crescendo::launch
