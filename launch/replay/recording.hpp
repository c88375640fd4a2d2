#pragma once

#include <filesystem>
#include <optional>
#include <vector>

#include "launch/journal/history.hpp"
#include "launch/sweep_file/keys/overrides.hpp"
#include "simulator/fit.hpp"
#include "simulator/learning_curve.hpp"

namespace crescendo::launch {

/// Trials that were really trained, to be simulated again.
struct Recording {
    simulator::RecordedCurves curves;
    simulator::FittedTimes times;            ///< no trials if the times of the reports are unknown
    std::vector<Override> simulation;        ///< keys of `simulate:` that follow from the times
    std::optional<double> expected_regroup;  ///< see SchedulerSpec
    bool tells_steps = true;  ///< whether the trials told how long their steps take; true of a file, which has no steps
};

/// Makes a recording of a sweep. Throws InvalidInput if no trial has reported.
Recording record(const History& history);

/// Reads a recording from a CSV file with a header. Its columns are `trial`, `resource`, the metric by its name, and
/// perhaps `seconds` (since the trial's start, on one worker). Other columns are ignored. Throws InvalidInput that
/// names file and line.
Recording read_recording(const std::filesystem::path& path, const SweepSpec& spec);

}  // namespace crescendo::launch
