#pragma once

#include <optional>

namespace crescendo {

/// When a sweep ends and how much it runs at once. These limits may change while the sweep runs and after it ended.
struct Limits {
    std::optional<int> run_cap;         ///< number of trials, or of configurations with `repeat`
    std::optional<double> target;       ///< a report of the metric at least this good ends the sweep
    bool has_time_budget = false;       ///< the launcher will send TimeUp
    std::optional<int> max_concurrent;  ///< most trials that run at once
    int max_retries = 2;                ///< how often a trial is retried in a row before it fails for good
};

}  // namespace crescendo
