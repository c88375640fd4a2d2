#include "launch/view/simulation_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/mapped.hpp"
#include "launch/display/chart_range.hpp"
#include "launch/display/column_names.hpp"
#include "launch/display/number_text.hpp"
#include "launch/display/printable.hpp"
#include "launch/view/results.hpp"

namespace crescendo::launch {
namespace {

using simulator::Comparison;
using simulator::Estimate;
using simulator::Summary;

/// Half the width of the confidence interval; empty for a single seed, which has none.
Cell half_width(const std::optional<Estimate>& estimate) {
    return estimate ? finite_cell(estimate->half_width) : Cell{};
}

Cell metric(const std::optional<Estimate>& loss, Goal goal) {
    return loss ? Cell{from_loss(goal, loss->mean)} : Cell{};
}

Cell with_error(const Estimate& estimate) {
    return number_text(estimate.mean, 3) +
           (std::isfinite(estimate.half_width) ? " ± " + number_text(estimate.half_width, 3) : "");
}

Cell with_error(const std::optional<Estimate>& loss, Goal goal) {
    return loss ? with_error({from_loss(goal, loss->mean), loss->half_width}) : Cell{};
}

/// The column of the metric beside these others: "loss", or "metrics.cost" beside a cost.
std::string metric_column(const std::vector<std::string>& others, const SweepSpec& spec) {
    return ColumnNames(others).take("metrics", spec.metric);
}

std::string column_in_comparison(const SweepSpec& spec) {
    return metric_column({"policy", "makespan", "speedup", "utilization", "slot_hours", "regroups", "new_groups",
                          "at_equal_time", "to_quality", "reaches_quality"},
                         spec);
}

struct Point {
    double x, y;
};

/// An SVG path that keeps its height from each point to the next, and from the last one to `end`.
std::string step_points(const std::vector<Point>& points, double end) {
    std::string path;
    for (const auto& [x, y] : points) {
        path += path.empty() ? fmt::format("M{:.1f},{:.1f}", x, y) : fmt::format("H{:.1f}V{:.1f}", x, y);
    }
    return path.empty() ? path : path + fmt::format("H{:.1f}", end);
}

constexpr double left = 70, right = 780, height = 220;

/// One diagram of values over seconds, with its upper edge at `top`.
std::string diagram(const std::string& title, std::vector<Point> points, double seconds, double top) {
    const auto values = mapped(points, &Point::y);
    const auto [low, high] = values.empty() ? std::ranges::minmax_result<double>{} : std::ranges::minmax(values);
    const double range = high > low ? high - low : 1;
    const auto [low_label, high_label] = end_labels(low, high);
    for (auto& point : points) {
        point = {left + (right - left) * (seconds > 0 ? point.x / seconds : 0),
                 top + height - height * (point.y - low) / range};
    }
    return fmt::format(
        "<text x='{0}' y='{1}' font-weight='bold'>{2}</text>\n"
        "<rect x='{0}' y='{3}' width='{4}' height='{5}' fill='none' stroke='#999'/>\n"
        "<path d='{6}' fill='none' stroke='#0b62a4' stroke-width='1.5'/>\n"
        "<text x='{7}' y='{8}' text-anchor='end'>{9}</text>\n"
        "<text x='{7}' y='{10}' text-anchor='end'>{11}</text>\n"
        "<text x='{12}' y='{13}' text-anchor='end'>{14}</text>\n",
        left, top - 8, title, top, right - left, height, step_points(points, right), left - 6, top + 12, high_label,
        top + height, low_label, right, top + height + 16, clock_text(seconds));
}

}  // namespace

OrderedJson summary_json(const Summary& summary, const SweepSpec& spec) {
    OrderedJson json;
    json["ended"] = finish_reason_texts.of(summary.reason);
    json["makespan"] = summary.makespan;
    json["slots"] = summary.slots;
    json["slot_hours_used"] = summary.slot_seconds_used / 3600;
    json["slot_hours_idle"] = (summary.slot_seconds() - summary.slot_seconds_used) / 3600;
    json["utilization"] = summary.utilization();
    json["trials"] = summary.num_trials;
    json["complete"] = summary.num_complete;
    json["failed"] = summary.num_failed;
    json["reports"] = summary.num_reports;
    json["regroups"] = summary.num_regroups;
    json["new_groups"] = summary.num_new_groups;
    json["resumptions"] = summary.num_resumptions;
    json["best_trial"] = summary.best;
    std::vector<std::string> others{"cost",        "idle_cost",         "events",        "actions",
                                    "differences", "measured_makespan", "best_over_time"};  // what `simulate` adds
    for (const auto& [name, value] : json.items()) {
        others.push_back(name);
    }
    json[metric_column(others, spec)] =
        summary.best_loss ? Json(from_loss(spec.goal, *summary.best_loss)) : Json(nullptr);
    return json;
}

Table best_table(const Summary& summary, const SweepSpec& spec, std::size_t most_rows) {
    Table table({"seconds", metric_column({"seconds", "trial", "resource"}, spec), "trial", "resource"});
    const auto& best = summary.best_over_time;
    const double step = summary.makespan / static_cast<double>(most_rows);
    for (std::size_t i = 0; i < best.size(); ++i) {
        // Only the last improvement within a step is shown.
        const bool is_last = i + 1 == best.size() || best.size() <= most_rows ||
                             std::floor(best[i].seconds / step) < std::floor(best[i + 1].seconds / step);
        if (is_last) {
            table.add_row({best[i].seconds, from_loss(spec.goal, best[i].loss), std::int64_t{best[i].trial.value},
                           best[i].resource.value});
        }
    }
    return table;
}

Table use_table(const Summary& summary) {
    Table table({"seconds", "slots"});
    for (const auto& use : summary.slot_use) {
        table.add_row({use.seconds, std::int64_t{use.slots}});
    }
    return table;
}

Table report_table(const std::vector<simulator::SeenReport>& reports, const SweepSpec& spec) {
    std::vector<std::string> columns{"seconds", "trial", "resource", "workers"};
    columns.push_back(metric_column(columns, spec));
    Table table(std::move(columns));
    for (const auto& report : reports) {
        table.add_row({report.seconds, std::int64_t{report.trial.value}, report.resource.value,
                       std::int64_t{report.workers}, from_loss(spec.goal, report.loss)});
    }
    return table;
}

Table comparison_table(const std::vector<Comparison>& policies, const SweepSpec& spec) {
    const auto name = column_in_comparison(spec);
    Table table({"policy", "makespan", "± makespan", "speedup", "± speedup", "utilization", "slot_hours",
                 "± slot_hours", "regroups", "new_groups", name, "± " + name, "at_equal_time", "± at_equal_time",
                 "to_quality", "reaches_quality"});
    for (const auto& each : policies) {
        table.add_row({each.name, each.makespan.mean, half_width(each.makespan), each.speedup.mean,
                       half_width(each.speedup), each.utilization.mean, each.slot_hours.mean,
                       half_width(each.slot_hours), each.regroups.mean, each.new_groups.mean,
                       metric(each.best_loss, spec.goal), half_width(each.best_loss),
                       metric(each.loss_at_equal_time, spec.goal), half_width(each.loss_at_equal_time),
                       known_cell(each.speedup_to_quality), each.reaches_quality});
    }
    return table;
}

std::string comparison_text(const std::vector<Comparison>& policies, const SweepSpec& spec) {
    Table table({"policy", "makespan", "speedup", "utilization", "slot_hours", "regroups", column_in_comparison(spec),
                 "at_equal_time"});
    for (const auto& each : policies) {
        table.add_row({each.name, with_error(each.makespan), with_error(each.speedup),
                       fmt::format("{:.0f} %", 100 * each.utilization.mean), with_error(each.slot_hours),
                       with_error(each.regroups), with_error(each.best_loss, spec.goal),
                       with_error(each.loss_at_equal_time, spec.goal)});
    }
    return table.print(Format::table);
}

std::string chart(const Summary& summary, const SweepSpec& spec) {
    const auto value_at = [&](const auto& each) -> Point { return {each.seconds, from_loss(spec.goal, each.loss)}; };
    const auto slots_at = [](const auto& each) -> Point { return {each.seconds, static_cast<double>(each.slots)}; };
    return "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 800 560' font-family='sans-serif' font-size='12'>\n"
           "<rect width='800' height='560' fill='white'/>\n" +
           diagram("best " + markup_text(spec.metric), mapped(summary.best_over_time, value_at), summary.makespan, 30) +
           diagram(fmt::format("slots in use, of {}", summary.slots), mapped(summary.slot_use, slots_at),
                   summary.makespan, 310) +
           "</svg>\n";
}

}  // namespace crescendo::launch
