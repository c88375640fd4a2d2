#pragma once

#include <string>
#include <vector>

#include "analysis/quality_cost.hpp"
#include "launch/compare/methods.hpp"
#include "launch/compare/report_folder.hpp"
#include "launch/display/table.hpp"

namespace crescendo::launch {

/// Compares the quality that methods reach at every price.
///
/// The price is money if all prices are known, else slot-hours. `prices` are in US dollars; a price in a sweep file is
/// in its user's currency. A method's curve is the median over its sweeps of the best value so far. The report keeps a
/// reference to `methods`, which must not be empty.
class SweepReport {
  public:
    SweepReport(const std::vector<Method>& methods, const Prices& prices);

    /// The best value so far of every sweep: a table with the columns of a curve file, resource, and slot_hours or
    /// cost.
    Table curves() const;

    /// The points of the methods' curves that no other point dominates: submission, slot_hours or cost, and the metric.
    Table pareto_set() const;

    /// A picture (SVG) of the curves over time and over the price, with 95 % intervals.
    std::string chart() const;

    /// The report as files: curves.csv, pareto.csv and chart.svg.
    Files files() const;

  private:
    std::vector<std::vector<analysis::MedianPoint>> medians(analysis::Axis axis) const;
    const SweepSpec& spec() const { return methods_.front().runs.front().file.spec; }
    const char* price_name() const { return has_prices_ ? "cost" : "slot_hours"; }

    const std::vector<Method>& methods_;
    /// For each method and each of its sweeps, the curves with `cost` as the price.
    std::vector<std::vector<std::vector<analysis::Curve>>> curves_;
    bool has_prices_ = true;
    bool is_in_dollars_;  ///< the prices, if they are known
};

}  // namespace crescendo::launch
