#include "launch/report/sweep_plot.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <tuple>

#include "core/mapped.hpp"
#include "launch/display/braille_chart.hpp"
#include "launch/display/chart_range.hpp"
#include "launch/display/printable.hpp"
#include "launch/report/best_so_far.hpp"
#include "launch/view/results.hpp"

namespace crescendo::launch {
namespace {

constexpr std::size_t height = 12;  // height of a chart in lines

/// Sets the range to that of the values, without those that are far worse than most.
void set_range(BrailleChart& chart, Goal goal) {
    std::vector<double> losses;
    for (const auto& line : chart.lines) {
        for (const auto& point : line) {
            losses.push_back(to_loss(goal, point.second));
        }
    }
    if (losses.empty()) {
        return;
    }
    const double best = std::ranges::min(losses);
    std::erase_if(losses, [most = largest_shown(losses, best)](double loss) { return std::abs(loss) > most; });
    std::ranges::sort(losses);
    const double usual = losses[static_cast<std::size_t>(std::lround(0.95 * static_cast<double>(losses.size() - 1)))];
    const double worst = usual > best ? std::min(losses.back(), usual + 1.5 * (usual - best)) : losses.back();
    std::tie(chart.low, chart.high) = std::minmax({from_loss(goal, best), from_loss(goal, worst)});
}

/// The number of lines with a value beyond the range.
std::ptrdiff_t num_beyond(const BrailleChart& chart) {
    return std::ranges::count_if(chart.lines, [&](const BrailleChart::Line& line) {
        return std::ranges::any_of(
            line, [&](const auto& point) { return point.second < chart.low || point.second > chart.high; });
    });
}

}  // namespace

std::vector<std::string> sweep_plot(const History& history, std::size_t width,
                                    const std::function<bool(TrialId)>& shows) {
    const auto& spec = history.sweep().spec();
    const auto metric = printable(spec.metric);

    BrailleChart best{metric + ", best so far", {}, 0, 1, "0:00", clock_text(history.elapsed())};
    const BrailleChart::Line improvements =
        mapped(best_so_far(history), [](const auto& each) { return std::pair(each.time, each.value); });
    if (!improvements.empty()) {
        best.lines.push_back(steps(improvements, history.elapsed()));
        best.left_label = clock_text(improvements.front().first);
    }
    set_range(best, spec.goal);
    const auto* beyond = spec.goal == Goal::minimize ? "above" : "below";
    if (num_beyond(best) > 0) {
        best.title += fmt::format(" (at first {} the chart)", beyond);
    }

    BrailleChart curves{metric + " of each trial", {}, 0, 1, "", ""};
    std::int64_t first = 0, last = 0;
    for (const auto& trial : history.sweep().trials()) {
        BrailleChart::Line line;
        for (const auto& report : history.of(trial.id).reports) {
            if (const double value = metric_of(report, spec.metric); std::isfinite(value)) {
                line.emplace_back(static_cast<double>(report.resource.value), value);
            }
        }
        if (shows(trial.id) && !line.empty()) {
            const auto from = static_cast<std::int64_t>(line.front().first);
            first = first == 0 ? from : std::min(first, from);
            last = std::max(last, static_cast<std::int64_t>(line.back().first));
            curves.lines.push_back(std::move(line));
        }
    }
    curves.left_label = std::to_string(first);
    curves.right_label = std::to_string(last);
    set_range(curves, spec.goal);
    const auto num_off = num_beyond(curves);
    curves.title += fmt::format(" ({}{})", curves.lines.size(),
                                num_off > 0 ? fmt::format("; {} the chart: {}", beyond, num_off) : "");

    auto lines = best.draw(width, height);
    lines.emplace_back();
    const auto below = curves.draw(width, height);
    lines.insert(lines.end(), below.begin(), below.end());
    return lines;
}

}  // namespace crescendo::launch
