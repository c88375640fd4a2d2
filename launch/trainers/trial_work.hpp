#pragma once

#include <string>

#include "launch/directory/sweep_directory.hpp"
#include "launch/messages/messages.hpp"
#include "launch/sweep_file/sweep_file.hpp"
#include "scheduler/sweep/sweep.hpp"

namespace crescendo::launch {

/// The order to train the trial, with everything that all its generations share: the sweep file with the trial's
/// parameters filled in. The caller adds the group's part.
JoinGroup work_of(TrialId trial, const Sweep& sweep, const SweepFile& file, const SweepDirectory& directory);

/// The order to run the trial's checkpoint on a data set: "validation" or "test".
protocol::Evaluate evaluation_of(TrialId trial, const std::string& data, const Sweep& sweep, const SweepFile& file,
                                 const SweepDirectory& directory);

}  // namespace crescendo::launch
