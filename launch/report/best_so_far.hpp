#pragma once

#include <string>
#include <vector>

#include "launch/journal/history.hpp"

namespace crescendo::launch {

/// A value that a trial reported.
struct TimedValue {
    double time = 0;  ///< seconds that the sweep had been at work
    TrialId trial;
    double value = 0;  ///< of the sweep's metric
};

/// The metric in a report; NaN if it has none.
double metric_of(const TrialReport& report, const std::string& metric);

/// Every value that was better than all earlier ones, in order of time. `history` must have kept all reports.
std::vector<TimedValue> best_so_far(const History& history);

}  // namespace crescendo::launch
