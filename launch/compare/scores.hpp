#pragma once

#include <optional>
#include <string>
#include <vector>

#include "launch/compare/curve_file.hpp"
#include "launch/display/table.hpp"

namespace crescendo::launch {

/// How performance profiles are turned into scores.
struct ScoreOptions {
    double r_max = 4;                          ///< a time more than this many times the fastest counts as missed
    std::optional<int> num_points = {};        ///< points of the trapezoidal rule; none: the exact integral
    std::optional<std::string> baseline = {};  ///< the submission that the others are compared with
};

/// Checks `--baseline`: throws InvalidInput if no submission has this name.
void require_submission(const std::vector<Submission>& submissions, const std::string& name);

/// A table with the columns submission, workload, seconds and cost: one row for each submission on each workload.
/// Seconds and cost are empty if the target was missed; cost is also empty if no price is known.
Table times_table(const std::vector<Submission>& submissions, const std::vector<Workload>& workloads,
                  const Prices& prices);

/// A table with the columns submission, score and, with a baseline, time_over_baseline: one row for each submission.
/// Throws InvalidInput if the baseline is not among the submissions, or if a missed workload has no max_seconds to use
/// instead of a time.
Table scores_table(const std::vector<Submission>& submissions, const std::vector<Workload>& workloads,
                   const ScoreOptions& options);

}  // namespace crescendo::launch
