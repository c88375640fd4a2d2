#pragma once

#include "launch/doctor/finding.hpp"

namespace crescendo::launch {

/// Compares what this process may use (open files, locked memory, shared memory) with what `num_slots` workers need.
Findings examine_limits(int num_slots, bool has_gpus);

}  // namespace crescendo::launch
