#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analysis/statistics.hpp"
#include "launch/compare/curve_file.hpp"
#include "launch/compare/methods.hpp"
#include "launch/display/table.hpp"

namespace crescendo::launch {

/// A median over the sweeps of a method. Infinite: half of the sweeps or more missed the target.
struct MedianEstimate {
    double median = 0;
    std::optional<analysis::Interval> interval = {};  ///< of 95 % confidence, by bootstrap; none for one sweep
};

/// What a quality cost with one method.
struct MethodComparison {
    std::string name;
    int num_sweeps = 0;
    int num_reached = 0;                         ///< sweeps that reached the target
    MedianEstimate best_loss;                    ///< of the best report of each sweep; +infinity if there is none
    MedianEstimate seconds;                      ///< until the target, on the clock that the sweeps were read with
    MedianEstimate slot_hours;                   ///< until the target
    MedianEstimate idle_slot_hours;              ///< of the whole sweep: slots × time that no trial held them
    std::optional<MedianEstimate> cost = {};     ///< money until the target; none if a price is unknown
    std::optional<MedianEstimate> speedup = {};  ///< the baseline's seconds over these; none without a target, or if
                                                 ///< both medians are infinite
};

/// What methods are compared by.
struct ComparisonOptions {
    std::optional<double> target = {};         ///< value of the metric; none: of each sweep, its own best value
    std::optional<std::string> baseline = {};  ///< a method's name; none: the first method
};

/// Compares methods in their order. Throws InvalidInput if there is no such baseline, or if no sweep reached the
/// target.
std::vector<MethodComparison> compare_methods(const std::vector<Method>& methods, const Prices& prices,
                                              const ComparisonOptions& options);

/// Money spent until `point` of one of the method's sweeps: US dollars by `prices`, for the time, or else by the price
/// of a slot-hour in the sweep's file, in its user's currency. Nothing if neither has a price.
std::optional<double> money_until(const analysis::Point& point, const Method& method, const SweepRun& run,
                                  const Prices& prices);

/// A row for each method: submission, sweeps, reached, and medians of the metric, seconds, slot_hours, idle_slot_hours,
/// cost and speedup, each with the ends of its interval (`_low`, `_high`). What is infinite or unknown is empty. A
/// metric that is called like another column stands under metrics.cost, say.
Table methods_table(const std::vector<MethodComparison>& methods, const SweepSpec& spec);

/// The comparison for people, with figures like "41.2 (38 to 50.1)".
std::string methods_text(const std::vector<MethodComparison>& methods, const SweepSpec& spec);

}  // namespace crescendo::launch
