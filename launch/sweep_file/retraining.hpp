#pragma once

#include <string>

#include "launch/sweep_file/sweep_file.hpp"

namespace crescendo::launch {

/// The text of a sweep file that trains one configuration of the sweep `file` with `num_seeds` seeds: as many trials,
/// all to the full resource (type fifo), with the workers that trials of the sweep begin with, and on all slots. In a
/// sweep without a maximum, each program ends when it likes, and so it does here.
///
/// What trains stays as it is, but crescendo-trainer measures every trial on the test samples. What chooses, judges or
/// ends is left out: samplers, budgets, targets, hooks. The seed is another one than the sweep's, so that the
/// configuration is not measured with the luck that it was chosen with.
std::string retraining_of(const SweepFile& file, const Config& config, int num_seeds);

}  // namespace crescendo::launch
