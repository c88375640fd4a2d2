#pragma once

#include <string>

#include "launch/display/table.hpp"
#include "launch/journal/history.hpp"

namespace crescendo::launch {

/// The metrics of trials that differ only in their seed: one row for each metric of their last reports. Its columns are
/// the number of trials with a finite value, the number with another one, and over the finite values the mean, the
/// standard deviation (of a sample, so none for one trial), the minimum and the maximum. Trials that did not finish do
/// not count.
Table seed_spread(const History& history);

/// Says how many trials ended with a value of the sweep's metric that is not finite; empty if none did.
std::string not_finite_text(const History& history);

/// Says how many trials ended without finishing, such as those that failed; empty if none did. Without them the spread
/// may look better than it is.
std::string unfinished_text(const History& history);

/// Whether several trials finished and all have the same numbers, so that their program does not use its seed.
bool seeds_change_nothing(const History& history);

}  // namespace crescendo::launch
