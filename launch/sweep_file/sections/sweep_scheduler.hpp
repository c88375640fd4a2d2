#pragma once

#include "launch/yaml/yaml_section.hpp"
#include "scheduler/sweep_spec.hpp"

namespace crescendo::launch {

/// Reads `scheduler:` of a sweep file. Keys without a meaning for the chosen type, such as `scaling_factor` for asha,
/// are checked and ignored, so that changing one word switches a sweep to another type.
SchedulerSpec read_scheduler(const YamlSection& section);

}  // namespace crescendo::launch
