#pragma once

#include "launch/doctor/finding.hpp"
#include "launch/slots/slot_plan.hpp"
#include "launch/system/environment.hpp"

namespace crescendo::launch {

/// Whether the workers that share a GPU compute at the same time: they do if the daemon of NVIDIA's MPS is here, which
/// they find by themselves. Says as well where `slots_per_gpu` has no effect. Nothing if nobody asked for shared GPUs.
Findings examine_gpu_sharing(const SlotPlan& plan, const SlotPlan::Wishes& wishes,
                             const Variables& variables = ::getenv);

}  // namespace crescendo::launch
