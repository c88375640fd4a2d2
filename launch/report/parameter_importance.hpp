#pragma once

#include <cstddef>

#include "launch/journal/history.hpp"
#include "launch/json/json.hpp"

namespace crescendo::launch {

/// The parameters that vary, with the scales on which they are drawn:
/// `{"name":"lr","scale":"log","low":0.001,"high":0.1}`, or
/// `{"name":"act","scale":"choice","choices":["relu","tanh"]}`.
OrderedJson parameters_json(const SearchSpace& space);

/// The names of parameters that are not among them, although they vary: they have too many choices.
OrderedJson undrawn_parameters_json(const SearchSpace& space);

/// What each parameter matters, at the highest five rungs with enough trials: at a rung all trials were trained equally
/// long, so their metrics can be compared. Trials without a maximum count when they are complete. A parameter with a
/// condition is judged by the trials that have it. From at most `most_samples` trials a rung, drawn at random. An
/// object a rung: `at` (its resource, or "the end"), `trials`, `present` (number of trials that have it, a parameter),
/// `shares` ([mean, deviation] a parameter), `marginals` (a list of [mean, deviation] a parameter, over equal parts of
/// its scale), and `pairs` of the most important ones that all trials have. Parameters that too few trials have get
/// null.
OrderedJson importances_json(const History& history, std::size_t most_samples);

}  // namespace crescendo::launch
