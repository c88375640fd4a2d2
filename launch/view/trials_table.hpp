#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/value.hpp"
#include "launch/display/table.hpp"
#include "launch/journal/history.hpp"

namespace crescendo::launch {

/// What the columns of trials_table() with numbers and texts of users' are called. One that would have the name of
/// another column stands under the name that reports and sweep files have for it: metrics.lr, parameters.trial. The
/// sweep's metric comes before parameters, and these before other metrics.
struct TrialColumns {
    std::string metric;                             ///< the sweep's; "metric" as long as no report has decided which
    std::string ranked_by;                          ///< by which trials are ranked: that, or what judges repetitions
    std::map<std::string, std::string> parameters;  ///< the column of each
    std::map<std::string, std::string> others;      ///< the column of each other metric
};
TrialColumns trial_columns(const History& history);

/// A table with one row for each trial: status, resource, the metric, every other metric of its last report, its
/// parameters, why it ended, what it cost.
Table trials_table(const History& history, std::optional<double> price_of_slot_hour = {});

/// The values of a trial's configuration, one for each parameter of the space; none where one is absent.
std::vector<Cell> parameter_cells(const Config& config, const SearchSpace& space);

}  // namespace crescendo::launch
