#pragma once

#include <string>

#include "launch/directory/sweep_directory.hpp"
#include "launch/messages/messages.hpp"
#include "launch/sweep_file/sweep_file.hpp"
#include "scheduler/sweep/sweep.hpp"

namespace crescendo::launch {

/// The order to train the trial, with what is the same for all its generations: the sweep file with the trial's
/// parameters filled in. The group's part is left to the caller.
JoinGroup work_of(TrialId trial, const Sweep& sweep, const SweepFile& file, const SweepDirectory& directory);

/// The order to run the trial's checkpoint over data: "validation" or "test".
protocol::Evaluate evaluation_of(TrialId trial, const std::string& data, const Sweep& sweep, const SweepFile& file,
                                 const SweepDirectory& directory);

}  // namespace crescendo::launch
