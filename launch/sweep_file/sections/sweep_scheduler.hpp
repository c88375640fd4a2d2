#pragma once

#include "launch/yaml/yaml_section.hpp"
#include "scheduler/sweep_spec.hpp"

namespace crescendo::launch {

/// Reads `scheduler:` of a sweep file. Keys that mean nothing to the chosen type, such as `scaling_factor` to asha, are
/// checked and change nothing. So one word switches a sweep from one type to another.
SchedulerSpec read_scheduler(const YamlSection& section);

}  // namespace crescendo::launch
