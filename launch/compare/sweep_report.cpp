#include "launch/compare/sweep_report.hpp"

#include <algorithm>
#include <cmath>

#include "core/mapped.hpp"
#include "launch/compare/sweep_comparison.hpp"
#include "launch/display/column_names.hpp"
#include "launch/display/line_chart.hpp"

namespace crescendo::launch {
namespace {

using analysis::Axis;
using analysis::Curve;
using analysis::MedianPoint;
using analysis::Point;

/// A readable unit for a time.
struct TimeUnit {
    const char* name;
    double seconds;
};

TimeUnit unit_for(double seconds) {
    return seconds > 3 * 3600 ? TimeUnit{"hours", 3600}
           : seconds > 180    ? TimeUnit{"minutes", 60}
                              : TimeUnit{"seconds", 1};
}

ChartLine line_of(const std::string& name, const std::vector<MedianPoint>& medians, Goal goal, double unit) {
    ChartLine line{name, {}};
    for (const auto& [price, loss, interval] : medians) {
        const double worst = std::isfinite(interval.high) ? from_loss(goal, interval.high)
                             : goal == Goal::minimize     ? INFINITY
                                                          : -INFINITY;
        const double best = from_loss(goal, interval.low);
        line.points.push_back({price / unit, from_loss(goal, loss), std::min(best, worst), std::max(best, worst)});
    }
    return line;
}

}  // namespace

SweepReport::SweepReport(const std::vector<Method>& methods, const Prices& prices)
    : methods_(methods), is_in_dollars_(!prices.empty()) {
    for (const auto& method : methods) {
        for (const auto& run : method.runs) {
            has_prices_ = has_prices_ && money_until({}, method, run, prices);
        }
    }
    for (const auto& method : methods) {
        auto& runs = curves_.emplace_back();
        for (const auto& run : method.runs) {
            auto& curves = runs.emplace_back();
            for (const auto& curve : run.curves) {
                auto& priced = curves.emplace_back();
                for (auto point : curve.points()) {
                    point.cost = has_prices_ ? *money_until(point, method, run, prices) : point.cost;
                    priced.add(point);
                }
            }
        }
    }
}

Table SweepReport::curves() const {
    Table table({"submission", "workload", "study", "trial", "seconds", "value", "resource", price_name()});
    for (std::size_t i = 0; i < methods_.size(); ++i) {
        for (std::size_t j = 0; j < methods_[i].runs.size(); ++j) {
            for (const auto& point : analysis::best_so_far(curves_[i][j], Axis::seconds)) {
                table.add_row({methods_[i].name, spec().metric, methods_[i].runs[j].directory.string(),
                               std::string("best"), point.seconds, from_loss(spec().goal, point.loss), point.resource,
                               point.cost});
            }
        }
    }
    return table;
}

std::vector<std::vector<MedianPoint>> SweepReport::medians(Axis axis) const {
    std::vector<std::vector<MedianPoint>> medians;
    for (const auto& runs : curves_) {
        const auto envelopes = mapped(runs, [&](const auto& each) { return analysis::best_so_far(each, axis); });
        medians.push_back(analysis::median_envelope(envelopes, axis));
    }
    return medians;
}

Table SweepReport::pareto_set() const {
    std::vector<Point> points;
    std::vector<std::string> names;
    const auto all = medians(Axis::cost);
    for (std::size_t i = 0; i < all.size(); ++i) {
        for (const auto& median : all[i]) {
            points.push_back({.cost = median.price, .loss = median.loss});
            names.push_back(methods_[i].name);
        }
    }
    const std::vector<std::string> columns{"submission", price_name()};
    Table table({columns[0], columns[1], ColumnNames(columns).take("metrics", spec().metric)});
    for (const auto i : analysis::pareto_set(points, Axis::cost)) {
        table.add_row({names[i], points[i].cost, from_loss(spec().goal, points[i].loss)});
    }
    return table;
}

std::string SweepReport::chart() const {
    const auto over_time = medians(Axis::seconds);
    const auto over_price = medians(Axis::cost);
    double longest = 0;
    for (const auto& medians : over_time) {
        longest = medians.empty() ? longest : std::max(longest, medians.back().price);
    }
    const auto unit = unit_for(longest);
    ChartPanel time{std::string("time (") + unit.name + ")", {}};
    ChartPanel price{!has_prices_ ? "slot-hours" : is_in_dollars_ ? "cost (US dollars)" : "cost", {}};
    for (std::size_t i = 0; i < methods_.size(); ++i) {
        time.lines.push_back(line_of(methods_[i].name, over_time[i], spec().goal, unit.seconds));
        price.lines.push_back(line_of(methods_[i].name, over_price[i], spec().goal, 1));
    }
    const auto num_sweeps = mapped(methods_, [](const auto& each) { return static_cast<int>(each.runs.size()); });
    const bool has_medians = std::ranges::max(num_sweeps) > 1;
    const auto title = "Best " + spec().metric + " so far" +
                       (has_medians ? ": median over sweeps and 95 % interval" + few_sweeps_text(num_sweeps) : "");
    return line_chart(title, spec().metric, {time, price});
}

Files SweepReport::files() const {
    return {{"curves.csv", curves().print(Format::csv)},
            {"pareto.csv", pareto_set().print(Format::csv)},
            {"chart.svg", chart()}};
}

}  // namespace crescendo::launch
