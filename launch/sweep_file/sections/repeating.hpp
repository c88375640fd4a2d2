#pragma once

#include "launch/yaml/yaml_section.hpp"
#include "scheduler/repeat.hpp"

namespace crescendo::launch {

/// Reads `repeat: 3`, or `repeat: {times: 3, judge: worst}`. Without the key, a configuration is trained once.
Repeat read_repeat(const YamlSection& file);

}  // namespace crescendo::launch
