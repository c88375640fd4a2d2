#pragma once

#include "launch/doctor/finding.hpp"
#include "launch/slots/slot_plan.hpp"
#include "launch/system/environment.hpp"

namespace crescendo::launch {

/// Checks whether workers that share a GPU compute at the same time. They do if the daemon of NVIDIA's MPS runs here;
/// workers find it by themselves. Also reports if `slots_per_gpu` has no effect. Empty if GPUs are not shared.
Findings examine_gpu_sharing(const SlotPlan& plan, const SlotPlan::Wishes& wishes,
                             const Variables& variables = ::getenv);

}  // namespace crescendo::launch
