#pragma once

#include <filesystem>

#include "core/ids.hpp"
#include "launch/directory/recorded_sweep.hpp"

namespace crescendo::launch {

/// Exports a trial into the folder `out`: its parameters and, if crescendo-trainer trained it, the model in a form that
/// Python runs without Crescendo. For a trial of another program, exports the parameters and the path of the trial's
/// own folder. Prints what it wrote.
///
/// Throws InvalidInput if `out` exists and is not empty, if the trial does not exist, or if it has no checkpoint.
/// Throws std::runtime_error if the trainer fails. On an exception, `out` is unchanged.
void export_trial(const RecordedSweep& sweep, TrialId trial, const std::filesystem::path& out);

}  // namespace crescendo::launch
