#pragma once

#include "launch/yaml/yaml_section.hpp"
#include "scheduler/space/distribution.hpp"

namespace crescendo::launch {

/// Reads one entry of the section `parameters`: its distribution, by W&B's words or by the keys that it has. Throws
/// InvalidInput on the first mistake, or AlreadyTold where it is among the mistakes of the file.
Distribution read_distribution(const YamlSection& parameter);

}  // namespace crescendo::launch
