#pragma once

#include <optional>

#include "launch/journal/history.hpp"

namespace crescendo::launch {

/// The metric by which a configuration is judged at a milestone, once none of its repetitions may still cross it: that
/// of all that have. Without `repeat`, that of its trial. None if it is not finite. A trial without a maximum crosses
/// the last milestone when it is complete.
std::optional<double> judged_at(const History& history, TrialId configuration, Resource milestone);

}  // namespace crescendo::launch
