#pragma once

#include "launch/json/json.hpp"
#include "launch/slots/slot_plan.hpp"

namespace crescendo::launch {

// Slot plans as JSON: for messages between nodes, and for `crescendo doctor --format json`.
void to_json(Json& json, const SlotPlan::Wishes& wishes);
void from_json(const Json& json, SlotPlan::Wishes& wishes);
void to_json(Json& json, const SlotPlan& plan);
void from_json(const Json& json, SlotPlan& plan);

}  // namespace crescendo::launch
