#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analysis/statistics.hpp"
#include "launch/compare/curve_file.hpp"
#include "launch/compare/methods.hpp"
#include "launch/display/table.hpp"

namespace crescendo::launch {

/// A median over the sweeps of a method. Infinite: at least half of the sweeps missed the target.
struct MedianEstimate {
    double median = 0;
    std::optional<analysis::Interval> interval = {};  ///< of 95 % confidence, by bootstrap; none for one sweep
};

/// What reaching a target took with one method.
struct MethodComparison {
    std::string name;
    int num_sweeps = 0;
    int num_reached = 0;                         ///< sweeps that reached the target
    MedianEstimate best_loss;                    ///< over the best report of each sweep; +infinity if there is none
    MedianEstimate seconds;                      ///< until the target, on the clock that the sweeps were read with
    MedianEstimate slot_hours;                   ///< until the target
    MedianEstimate idle_slot_hours;              ///< over each whole sweep: slots × the time that no trial held them
    std::optional<MedianEstimate> cost = {};     ///< money spent until the target; none if a price is unknown
    std::optional<MedianEstimate> speedup = {};  ///< the baseline's seconds divided by these; none without a target, or
                                                 ///< if both medians are infinite; of the baseline, 1 without interval
};

/// Options of compare_methods().
struct ComparisonOptions {
    std::optional<double> target = {};         ///< value of the metric to reach; none: each sweep's own best value
    std::optional<std::string> baseline = {};  ///< a method's name; none: the first method
};

/// Compares methods; the results are in the order of `methods`. Throws InvalidInput if there is no such baseline, or if
/// no sweep reached the target.
std::vector<MethodComparison> compare_methods(const std::vector<Method>& methods, const Prices& prices,
                                              const ComparisonOptions& options);

/// Money spent until `point` in one of the method's sweeps. With `prices`: time × price, in US dollars. Else slot-hours
/// × the price in the sweep's file, in the user's currency. Nothing if there is no price. The two are never mixed: a
/// method that `prices` leaves out has none.
std::optional<double> money_until(const analysis::Point& point, const Method& method, const SweepRun& run,
                                  const Prices& prices);

/// Names the sweeps that do not compare fairly: those that have not ended, those whose sampler failed, and those that
/// repeat a seed of their method. One line per kind: "sweeps that have not ended and may still improve (1 of 6):
/// results/asha/3".
std::vector<std::string> cautions(const std::vector<Method>& methods);

/// How often a "95 % interval" covers the true median if a method has only two to four sweeps: " (with 3 sweeps: 75 %)",
/// for the fewest of `num_sweeps` that are more than one. Empty if none is so few.
std::string few_sweeps_text(const std::vector<int>& num_sweeps);

/// A table with one row for each method: submission, sweeps, reached, and the medians of the metric, seconds,
/// slot_hours, idle_slot_hours, cost and speedup, each with the ends of its interval (`_low`, `_high`). Infinite and
/// unknown values are empty. A metric with the name of another column gets a prefix, such as metrics.cost.
Table methods_table(const std::vector<MethodComparison>& methods, const SweepSpec& spec);

/// The comparison for people, with figures like "41.2 (38 to 50.1)".
std::string methods_text(const std::vector<MethodComparison>& methods, const SweepSpec& spec);

}  // namespace crescendo::launch
