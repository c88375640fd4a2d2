#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "scheduler/sweep_spec.hpp"

namespace crescendo::launch {

/// The metric that a sweep optimizes whose file names none, of those that its first report has, or its pattern finds;
/// there must be one. Metrics of validation come before others (`val_loss`, `eval/f1`), those whose name says what is
/// good before others (`loss`, `accuracy`), and then the alphabet decides.
const std::string& likely_metric(const std::vector<std::string>& names);

/// `maximize` if a word of the name says so, such as accuracy, score or auc. Words are what other characters than
/// letters and digits separate, in upper or lower case.
Goal likely_goal(std::string_view metric);

/// Whether the name says that the goal is the other one: `val_acc` is not to be minimized, nor `val_loss` maximized. Words
/// that are used both ways, such as score, say nothing.
bool is_unlikely(Goal goal, std::string_view metric);

}  // namespace crescendo::launch
