#pragma once

#include <optional>
#include <string>
#include <vector>

#include "launch/compare/curve_file.hpp"
#include "launch/display/table.hpp"

namespace crescendo::launch {

/// How profiles become scores.
struct ScoreOptions {
    double r_max = 4;                          ///< a time beyond this many times the fastest counts as missed
    std::optional<int> num_points = {};        ///< points of the trapezium rule; none: the exact integral
    std::optional<std::string> baseline = {};  ///< a submission that others are compared with
};

/// Throws InvalidInput, for `--baseline`, if no submission has this name.
void require_submission(const std::vector<Submission>& submissions, const std::string& name);

/// A table with the columns submission, workload, seconds, cost: a row for each submission on each workload. Seconds
/// and cost are empty for a miss; cost is empty as well if no price is known.
Table times_table(const std::vector<Submission>& submissions, const std::vector<Workload>& workloads,
                  const Prices& prices);

/// A table with the columns submission, score and, with a baseline, time_over_baseline: a row for each submission.
/// Throws InvalidInput if no submission is the baseline, or if a workload that was missed has no max_seconds to compare
/// it by.
Table scores_table(const std::vector<Submission>& submissions, const std::vector<Workload>& workloads,
                   const ScoreOptions& options);

}  // namespace crescendo::launch
