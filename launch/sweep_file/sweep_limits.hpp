#pragma once

#include <chrono>
#include <optional>

#include "launch/sweep_file/sweep_file.hpp"
#include "launch/yaml/yaml_section.hpp"

namespace crescendo::launch {

// When a sweep and its trials end, other than by their resource.

/// Reads the entry `key` of a section: some time, at least a second; none if it is not there.
std::optional<std::chrono::seconds> read_time(const YamlSection& section, const char* key = "time");

/// Reads `budget:`. `result` has the target of `metric:` already.
void read_budget(const YamlSection& file, SweepFile& result);

/// Reads `trial:`.
void read_trial_end(const YamlSection& file, TrialEnd& end);

/// Reads `patience:`.
void read_patience(const YamlSection& file, Patience& patience);

/// `patience.trials` counts trials that end, and there are schedulers with which few do.
void remark_on_patience(SweepFile& result);

/// Reads `hang_timeout:`; none if workers may be silent for ever. That is the default of a program, which may say
/// nothing for hours, as only its author knows. A warm trainer is heard of every second.
std::optional<std::chrono::seconds> read_hang_timeout(const YamlSection& file, bool has_warm_trainers);

}  // namespace crescendo::launch
