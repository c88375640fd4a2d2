#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "scheduler/sweep_spec.hpp"

namespace crescendo::launch {

/// Chooses the metric for a sweep whose file names none, from the names in its first report or its report pattern.
/// `names` must not be empty. Validation metrics come first (`val_loss`, `eval/f1`), then metrics whose name implies a
/// goal (`loss`, `accuracy`), then alphabetical order decides.
const std::string& likely_metric(const std::vector<std::string>& names);

/// Whether a word of the name says that it is a time or a speed, such as `eval_runtime` or `steps_per_second`.
bool is_a_time(std::string_view metric);

/// Returns `maximize` if a word of the name implies it, such as accuracy, score or auc. Words are separated by
/// characters other than letters and digits; their case does not matter.
Goal likely_goal(std::string_view metric);

/// Whether the name implies the opposite goal: `val_acc` is not minimized, and `val_loss` is not maximized. Words that
/// are used both ways, such as score, imply nothing.
bool is_unlikely(Goal goal, std::string_view metric);

}  // namespace crescendo::launch
