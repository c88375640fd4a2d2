#pragma once

#include <chrono>
#include <optional>

#include "launch/sweep_file/sweep_file.hpp"
#include "launch/yaml/yaml_section.hpp"

namespace crescendo::launch {

// Keys that end a sweep and its trials, other than by their resource.

/// Reads the entry `key` of a section: a duration of at least one second. None if the entry is missing.
std::optional<std::chrono::seconds> read_time(const YamlSection& section, const char* key = "time");

/// Reads `budget:`. `result` must have the target of `metric:` already.
void read_budget(const YamlSection& file, SweepFile& result);

/// Reads `trial:`.
void read_trial_end(const YamlSection& file, TrialEnd& end);

/// Reads `patience:`.
void read_patience(const YamlSection& file, Patience& patience);

/// Adds a remark if `patience.trials`, which counts trials that end, does not suit the scheduler: some end few trials,
/// and some end many at once.
void remark_on_patience(SweepFile& result);

/// Reads `hang_timeout:`. None if workers may be silent forever, which is the default for programs: they may print
/// nothing for hours, and only their authors know. A warm trainer sends a message every second.
std::optional<std::chrono::seconds> read_hang_timeout(const YamlSection& file, bool has_warm_trainers);

}  // namespace crescendo::launch
