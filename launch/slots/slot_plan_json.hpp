#pragma once

#include "launch/json/json.hpp"
#include "launch/slots/slot_plan.hpp"

namespace crescendo::launch {

// Slot plans as JSON, for messages between nodes.
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(SlotPlan::Wishes, slots, cpus_per_slot, bind, slots_per_gpu)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(SlotResources, gpu, threads, cpus, numa, slots_on_gpu)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(SlotPlan, unbound, slots)

}  // namespace crescendo::launch
