#pragma once

#include <string>

#include "launch/sweep_file/sweep_file.hpp"

namespace crescendo::launch {

/// The text of a sweep file that trains one configuration of the sweep `file` with `num_seeds` seeds: one trial per
/// seed, all to the full resource (type fifo), with the workers that the sweep's trials begin with, and on all slots.
/// In a sweep without a maximum, each program ends by itself, here too.
///
/// Keys about training stay as they are, with the present values in `limits` of those that may change, except that
/// crescendo-trainer measures every trial on the test samples. Keys that choose, judge or end trials are left out:
/// samplers, budgets, targets, hooks. The seed differs from the sweep's, so that the configuration is not measured with
/// the same luck that made it win.
std::string retraining_of(const SweepFile& file, const OrderedJson& limits, const Config& config, int num_seeds);

}  // namespace crescendo::launch
