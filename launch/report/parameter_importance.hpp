#pragma once

#include <cstddef>

#include "launch/journal/history.hpp"
#include "launch/json/json.hpp"

namespace crescendo::launch {

/// The parameters that vary, with the scales on which they are drawn:
/// `{"name":"lr","scale":"log","low":0.001,"high":0.1}`, or
/// `{"name":"act","scale":"choice","choices":["relu","tanh"]}`.
OrderedJson parameters_json(const SearchSpace& space);

/// The names of parameters that vary but are not in parameters_json(), because they have too many choices.
OrderedJson undrawn_parameters_json(const SearchSpace& space);

/// The importance of each parameter, at the highest five rungs with enough trials. At a rung all trials were trained
/// equally long, so their metrics can be compared. Trials without a maximum count when they are complete. A parameter
/// with a condition is judged by the trials that have it. Uses at most `most_samples` trials per rung, drawn at random.
/// With `repeat` all of this holds for configurations, with the values by which they are judged: repetitions have the
/// same parameters, so they say nothing more about these.
///
/// Returns one object per rung: `at` (its resource, or "the end"), `trials`, `present` (for each parameter, the number
/// of trials that have it), `shares` ([mean, deviation] per parameter), `marginals` (for each parameter a list of
/// [mean, deviation], over equal parts of its scale), and `pairs` (of the most important parameters that all trials
/// have). Shares and marginals are null for parameters that too few trials have.
OrderedJson importances_json(const History& history, std::size_t most_samples);

}  // namespace crescendo::launch
