#include "launch/slots/slot_plan_json.hpp"

namespace crescendo::launch {
namespace {

Json optional_number(const std::optional<int>& number) { return number ? Json(*number) : Json(); }

std::optional<int> optional_number(const Json& json) {
    return json.is_null() ? std::nullopt : std::optional<int>(json.get<int>());
}

}  // namespace

void to_json(Json& json, const SlotPlan::Wishes& wishes) {
    json = {{"slots", optional_number(wishes.slots)},
            {"cpus_per_slot", wishes.cpus_per_slot},
            {"bind", wishes.bind},
            {"slots_per_gpu", wishes.slots_per_gpu}};
}

void from_json(const Json& json, SlotPlan::Wishes& wishes) {
    wishes = {optional_number(json.at("slots")), json.at("cpus_per_slot"), json.at("bind"), json.at("slots_per_gpu")};
}

void to_json(Json& json, const SlotPlan& plan) {
    json = {{"unbound", plan.unbound}, {"slots", Json::array()}};
    for (const auto& slot : plan.slots) {
        json["slots"].push_back({{"gpu", slot.gpu},
                                 {"threads", slot.threads},
                                 {"cpus", slot.cpus},
                                 {"numa", optional_number(slot.numa)},
                                 {"slots_on_gpu", slot.slots_on_gpu}});
    }
}

void from_json(const Json& json, SlotPlan& plan) {
    plan.unbound = json.at("unbound");
    plan.slots.clear();
    for (const auto& slot : json.at("slots")) {
        plan.slots.push_back({slot.at("gpu"), slot.at("threads"), slot.at("cpus"), optional_number(slot.at("numa")),
                              slot.at("slots_on_gpu")});
    }
}

}  // namespace crescendo::launch
