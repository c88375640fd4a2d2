#include "launch/compare/sweep_comparison.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <set>

#include "analysis/quality_cost.hpp"
#include "core/check.hpp"
#include "core/mapped.hpp"
#include "core/median.hpp"
#include "core/spelling.hpp"
#include "launch/display/column_names.hpp"
#include "launch/display/number_text.hpp"

namespace crescendo::launch {
namespace {

using analysis::Interval;
using analysis::missed;
using analysis::Point;

MedianEstimate estimate(const std::vector<double>& values) {
    return {median(values), values.size() > 1 ? std::optional(analysis::bootstrap_median(values)) : std::nullopt};
}

/// What each sweep of a method spent until the target; infinite if the sweep missed it.
struct Spent {
    std::vector<double> seconds;
    std::vector<double> slot_hours;
    std::vector<double> idle_slot_hours;  ///< of whole sweeps, so never infinite
    std::vector<double> cost;  ///< only of sweeps with a known price
    std::vector<double> best_losses;
    int num_reached = 0;
};

Spent spent_by(const Method& method, const Prices& prices, std::optional<double> target_loss) {
    Spent spent;
    for (const auto& run : method.runs) {
        const auto best = analysis::best_so_far(run.curves, analysis::Axis::seconds);
        const double best_loss = best.empty() ? missed : best.back().loss;
        const auto reached = std::ranges::find_if(
            best, [&](const Point& point) { return point.loss <= target_loss.value_or(best_loss); });
        const bool is_reached = reached != best.end();
        spent.num_reached += is_reached;
        spent.best_losses.push_back(best_loss);
        spent.seconds.push_back(is_reached ? reached->seconds : missed);
        spent.slot_hours.push_back(is_reached ? reached->cost : missed);
        spent.idle_slot_hours.push_back(run.idle_slot_hours);
        if (const auto money = money_until(is_reached ? *reached : Point{}, method, run, prices)) {
            spent.cost.push_back(is_reached ? *money : missed);
        }
    }
    return spent;
}

/// The ratio of the medians. Nothing if both are infinite. A method with one sweep does not show how much its sweeps
/// differ, so the ratio has no interval then.
std::optional<MedianEstimate> speedup(const std::vector<double>& baseline, const std::vector<double>& seconds) {
    const double ratio = median(baseline) / median(seconds);
    if (std::isnan(ratio)) {
        return std::nullopt;
    }
    return MedianEstimate{ratio, baseline.size() > 1 && seconds.size() > 1
                                     ? std::optional(analysis::bootstrap_median_ratio(baseline, seconds))
                                     : std::nullopt};
}

std::size_t find_method(const std::vector<Method>& methods, const std::string& name) {
    const auto names = names_of(methods);
    const auto found = std::ranges::find(names, name);
    CRESCENDO_VALIDATE(found != names.end(), "", "--baseline: '{}' is not one of the submissions{}; they are {}", name,
                       did_you_mean(name, names), enumerate(names, " and "));
    return static_cast<std::size_t>(found - names.begin());
}

void require_reached(const std::vector<Method>& methods, const std::vector<Spent>& spent, double target) {
    const auto& spec = methods.front().runs.front().file.spec;
    double best = missed;
    std::string where;
    for (std::size_t i = 0; i < methods.size(); ++i) {
        if (spent[i].num_reached > 0) {
            return;
        }
        for (std::size_t j = 0; j < methods[i].runs.size(); ++j) {
            if (spent[i].best_losses[j] < best) {
                best = spent[i].best_losses[j];
                where = methods[i].runs[j].directory.string();
            }
        }
    }
    CRESCENDO_VALIDATE(best != missed, "", "--target {}: no sweep has reported {} yet; wait for the first reports",
                       target, spec.metric);
    throw InvalidInput(
        fmt::format("--target {}: no sweep reached it, so there is nothing to compare; the best {} is {}, "
                    "in {}; use a target that a sweep reached",
                    target, spec.metric, from_loss(spec.goal, best), where));
}

/// Adds the median and both ends of its interval.
void add_cells(std::vector<Cell>& row, const std::optional<MedianEstimate>& estimate) {
    row.push_back(estimate ? finite_cell(estimate->median) : Cell{});
    const bool has_interval = estimate && estimate->interval;
    row.push_back(has_interval ? finite_cell(estimate->interval->low) : Cell{});
    row.push_back(has_interval ? finite_cell(estimate->interval->high) : Cell{});
}

/// Converts losses to values of the metric. If the metric is maximized, the ends of the interval change places.
MedianEstimate as_metric(const MedianEstimate& losses, Goal goal) {
    MedianEstimate values{from_loss(goal, losses.median), {}};
    if (losses.interval) {
        const double a = from_loss(goal, losses.interval->low);
        const double b = from_loss(goal, losses.interval->high);
        values.interval = goal == Goal::minimize ? Interval{a, b} : Interval{b, a};
    }
    return values;
}

std::string number_for_people(double number) {
    return std::isinf(number) ? (number < 0 ? "−∞" : "∞") : std::isnan(number) ? "?" : number_text(number);
}

Cell text_of(const std::optional<MedianEstimate>& estimate) {
    if (!estimate || !std::isfinite(estimate->median)) {
        return {};
    }
    const auto& interval = estimate->interval;
    return number_for_people(estimate->median) +
           (interval ? fmt::format(" ({} to {})", number_for_people(interval->low), number_for_people(interval->high))
                     : "");
}

}  // namespace

std::optional<double> money_until(const Point& point, const Method& method, const SweepRun& run, const Prices& prices) {
    if (!prices.empty()) {
        const auto per_hour = prices.per_hour(method.name);
        return per_hour ? std::optional(*per_hour * point.seconds / 3600) : std::nullopt;
    }
    return run.price_of_slot_hour ? std::optional(*run.price_of_slot_hour * point.cost) : std::nullopt;
}

std::vector<std::string> cautions(const std::vector<Method>& methods) {
    std::vector<std::string> open, lost, again;
    std::size_t num_sweeps = 0;
    for (const auto& method : methods) {
        num_sweeps += method.runs.size();
        std::set<std::uint64_t> seeds;
        for (const auto& run : method.runs) {
            const auto note_in = [&](std::vector<std::string>& list) { list.push_back(run.directory.string()); };
            if (!run.is_over) {
                note_in(open);
            }
            if (run.has_lost_sampler) {
                note_in(lost);
            }
            if (!seeds.insert(run.file.spec.seed).second) {
                note_in(again);
            }
        }
    }
    std::vector<std::string> lines;
    const auto add = [&](const std::vector<std::string>& found, const char* what) {
        if (!found.empty()) {
            lines.push_back(
                fmt::format("sweeps {} ({} of {}): {}", what, found.size(), num_sweeps, fmt::join(found, ", ")));
        }
    };
    add(open, "that have not ended and may still improve");
    add(lost, "whose sampler failed, so that configurations are random");
    add(again, "that repeat a seed of their method, so that intervals are too narrow");
    return lines;
}

std::string few_sweeps_text(const std::vector<int>& num_sweeps) {
    constexpr int enough = 5;
    int fewest = enough;
    for (const int each : num_sweeps) {
        fewest = each > 1 ? std::min(fewest, each) : fewest;
    }
    return fewest < enough ? fmt::format(" (with {} sweeps: {:.0f} %)", fewest, 100 * (1 - std::pow(0.5, fewest - 1)))
                           : "";
}

std::vector<MethodComparison> compare_methods(const std::vector<Method>& methods, const Prices& prices,
                                              const ComparisonOptions& options) {
    const auto goal = methods.front().runs.front().file.spec.goal;
    const auto target_loss = options.target ? std::optional(to_loss(goal, *options.target)) : std::nullopt;
    const auto baseline = options.baseline ? find_method(methods, *options.baseline) : 0;
    const auto all = mapped(methods, [&](const Method& each) { return spent_by(each, prices, target_loss); });
    if (options.target) {
        require_reached(methods, all, *options.target);
    }
    std::vector<MethodComparison> comparisons;
    for (std::size_t i = 0; i < methods.size(); ++i) {
        const auto& spent = all[i];
        auto ratio = options.target ? speedup(all[baseline].seconds, spent.seconds) : std::nullopt;
        if (ratio && i == baseline) {
            ratio->interval.reset();  // it is 1, and independent samples of the same sweeps would say nothing
        }
        comparisons.push_back(
            {.name = methods[i].name,
             .num_sweeps = static_cast<int>(methods[i].runs.size()),
             .num_reached = spent.num_reached,
             .best_loss = estimate(spent.best_losses),
             .seconds = estimate(spent.seconds),
             .slot_hours = estimate(spent.slot_hours),
             .idle_slot_hours = estimate(spent.idle_slot_hours),
             .cost = spent.cost.size() == spent.seconds.size() ? std::optional(estimate(spent.cost)) : std::nullopt,
             .speedup = ratio});
    }
    return comparisons;
}

Table methods_table(const std::vector<MethodComparison>& methods, const SweepSpec& spec) {
    const std::array quantities{"seconds", "slot_hours", "idle_slot_hours", "cost", "speedup"};
    std::vector<std::string> columns{"submission", "sweeps", "reached"};
    std::vector<std::string> measured;
    for (const std::string name : quantities) {
        measured.insert(measured.end(), {name, name + "_low", name + "_high"});
    }
    auto taken = columns;
    taken.insert(taken.end(), measured.begin(), measured.end());
    ColumnNames names(taken);
    for (const auto* end : {"", "_low", "_high"}) {
        columns.push_back(names.take("metrics", spec.metric + end));
    }
    columns.insert(columns.end(), measured.begin(), measured.end());
    Table table(std::move(columns));
    for (const auto& method : methods) {
        std::vector<Cell> row{method.name, std::int64_t{method.num_sweeps}, std::int64_t{method.num_reached}};
        add_cells(row, as_metric(method.best_loss, spec.goal));
        add_cells(row, method.seconds);
        add_cells(row, method.slot_hours);
        add_cells(row, method.idle_slot_hours);
        add_cells(row, method.cost);
        add_cells(row, method.speedup);
        table.add_row(std::move(row));
    }
    return table;
}

std::string methods_text(const std::vector<MethodComparison>& methods, const SweepSpec& spec) {
    Table table({"submission", "reached", spec.metric, "seconds", "slot_hours", "idle_slot_hours", "cost", "speedup"});
    bool has_intervals = false;
    for (const auto& method : methods) {
        has_intervals |= method.seconds.interval.has_value();
        table.add_row({method.name, fmt::format("{} of {}", method.num_reached, method.num_sweeps),
                       text_of(as_metric(method.best_loss, spec.goal)), text_of(method.seconds),
                       text_of(method.slot_hours), text_of(method.idle_slot_hours), text_of(method.cost),
                       text_of(method.speedup)});
    }
    const auto few = few_sweeps_text(mapped(methods, &MethodComparison::num_sweeps));
    return table.print(Format::table) +
           (has_intervals ? "Medians over sweeps, with 95 % intervals by bootstrap" + few + ".\n" : "");
}

}  // namespace crescendo::launch
