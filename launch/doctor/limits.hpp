#pragma once

#include "launch/doctor/finding.hpp"

namespace crescendo::launch {

/// What this process may use: open files, locked memory, shared memory; against what `num_slots` workers take.
Findings examine_limits(int num_slots, bool has_gpus);

}  // namespace crescendo::launch
