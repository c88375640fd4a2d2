#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "launch/journal/history.hpp"

namespace crescendo::launch {

/// Two charts for a terminal, as lines of at most `width` columns: the best value so far over time, and the learning
/// curves of the trials that `shows` accepts. `history` must have kept all reports. Values that are far worse than most
/// are drawn at the edge, and the title says so.
std::vector<std::string> sweep_plot(const History& history, std::size_t width,
                                    const std::function<bool(TrialId)>& shows = [](TrialId) { return true; });

}  // namespace crescendo::launch
