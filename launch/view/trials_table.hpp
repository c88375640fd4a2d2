#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/value.hpp"
#include "launch/display/table.hpp"
#include "launch/journal/history.hpp"

namespace crescendo::launch {

/// Names of the columns of trials_table() for metrics and parameters. If another column already has the name, the
/// column gets the name that reports and sweep files use: metrics.lr, parameters.trial. The sweep's metric takes its
/// name before parameters, and these before other metrics.
struct TrialColumns {
    std::string metric;                             ///< the sweep's metric; "metric" until a report decides which
    std::string ranked_by;                          ///< ranks trials: the metric, or what judges repetitions
    std::map<std::string, std::string> parameters;  ///< column of each parameter
    std::map<std::string, std::string> others;      ///< column of each other metric
};
TrialColumns trial_columns(const History& history);

/// A table with one row for each trial: status, resource, the metric, every other metric of its last report, its
/// parameters, why it ended, and its cost.
Table trials_table(const History& history, std::optional<double> price_of_slot_hour = {});

/// The values of a trial's configuration: a cell for each parameter of the space, empty if the parameter is absent.
std::vector<Cell> parameter_cells(const Config& config, const SearchSpace& space);

}  // namespace crescendo::launch
