#pragma once

#include <filesystem>

#include "core/ids.hpp"
#include "launch/directory/recorded_sweep.hpp"

namespace crescendo::launch {

/// Writes a trial into the folder `out`: its parameters, and what crescendo-trainer trained as a model that Python runs
/// without Crescendo. Says on the screen what is there. A program's trial gives its parameters, and the name of its own
/// folder.
///
/// Throws InvalidInput if `out` is there and not empty, or if the trial is not there or has no checkpoint; and
/// std::runtime_error if the trainer fails. Then `out` is as it was.
void export_trial(const RecordedSweep& sweep, TrialId trial, const std::filesystem::path& out);

}  // namespace crescendo::launch
