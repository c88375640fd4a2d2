#pragma once

#include "launch/record/history.hpp"
#include "launch/view/table.hpp"

namespace crescendo::launch {

/// The metrics of trials that differ in their seed alone: one row for each metric of their last reports, with the
/// number of trials, mean, standard deviation (that of a sample, so none of one trial), least and greatest value.
/// Trials that did not finish, and numbers that are not finite, do not count.
Table seed_spread(const History& history);

/// Whether several trials finished, and all have the same numbers: their program does not use its seed.
bool seeds_change_nothing(const History& history);

}  // namespace crescendo::launch
