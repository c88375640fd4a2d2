#pragma once

#include <filesystem>
#include <optional>
#include <vector>

#include "launch/journal/history.hpp"
#include "launch/sweep_file/keys/overrides.hpp"
#include "simulator/fit.hpp"
#include "simulator/learning_curve.hpp"

namespace crescendo::launch {

/// Recorded training of trials, for simulation.
struct Recording {
    simulator::RecordedCurves curves;
    simulator::FittedTimes times;            ///< has no trials if the reports' times are unknown
    std::vector<Override> simulation;        ///< keys of `simulate:` that follow from the times
    std::optional<double> expected_regroup;  ///< see SchedulerSpec
    bool tells_steps = true;  ///< whether the trials reported their step times; true for a CSV file, which has no steps
};

/// Records a sweep. Throws InvalidInput if no trial has reported.
Recording record(const History& history);

/// Reads a recording from a CSV file with a header. Its columns are `trial`, `resource`, a column with the metric's
/// name, and optionally `seconds` (since the trial's start, on one worker). Ignores other columns. Throws InvalidInput
/// that names file and line.
Recording read_recording(const std::filesystem::path& path, const SweepSpec& spec);

}  // namespace crescendo::launch
