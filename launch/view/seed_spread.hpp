#pragma once

#include <string>

#include "launch/display/table.hpp"
#include "launch/journal/history.hpp"

namespace crescendo::launch {

/// The metrics of trials that differ in their seed alone: one row for each metric of their last reports, with the
/// number of trials whose number is finite, and of those whose number is not; and of the former mean, standard
/// deviation (that of a sample, so none of one trial), least and greatest value. Trials that did not finish do not
/// count.
Table seed_spread(const History& history);

/// Says how many trials ended with a number of the sweep's metric that is not finite; empty if none did.
std::string not_finite_text(const History& history);

/// Whether several trials finished, and all have the same numbers: their program does not use its seed.
bool seeds_change_nothing(const History& history);

}  // namespace crescendo::launch
