#pragma once

#include "launch/messages/messages.hpp"
#include "launch/record/sweep_directory.hpp"
#include "launch/sweep_file/sweep_file.hpp"
#include "scheduler/sweep/sweep.hpp"

namespace crescendo::launch {

/// What the workers of a trial are to run: the sweep file with the trial's parameters filled in.
TrialWork work_of(TrialId trial, const Sweep& sweep, const SweepFile& file, const SweepDirectory& directory);

}  // namespace crescendo::launch
