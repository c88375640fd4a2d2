#include "launch/agent/agent_setup.hpp"

#include "launch/slots/slot_plan_json.hpp"
#include "launch/sweep_file/sweep_check.hpp"
#include "launch/system/environment.hpp"

namespace crescendo::launch {

std::chrono::seconds save_timeout_of_environment() {
    return seconds_of_environment("CRESCENDO_SAVE_TIMEOUT", std::chrono::seconds(60));
}

std::chrono::seconds restart_interval_of_environment() {
    return seconds_of_environment("CRESCENDO_RESTART_INTERVAL", std::chrono::seconds(10));
}

SlotPlan AgentSetup::plan() const { return SlotPlan::make(NodeResources::detect(), slots); }

std::unique_ptr<Agent> AgentSetup::make_agent(NodeId node, SlotId first_slot, const SlotPlan& plan) const {
    const auto paths = ProgramPaths::find();
    WorkerOptions options;
    options.directory = directory;
    options.trainer = paths.trainer;
    options.guard = paths.guard;
    options.log = log;
    options.first_slot = first_slot;
    options.slots = plan.slots;
    options.interface = interface;
    options.hang_timeout = hang_timeout;
    options.save_timeout = save_timeout;
    options.restart_interval = restart_interval;
    return std::make_unique<Agent>(node, kind, std::move(options));
}

void to_json(Json& json, const AgentSetup& setup) {
    json = {{"kind", setup.kind},
            {"directory", setup.directory},
            {"log", setup.log},
            {"slots", setup.slots},
            {"hang_timeout", setup.hang_timeout ? Json(setup.hang_timeout->count()) : Json()},
            {"save_timeout", setup.save_timeout.count()},
            {"restart_interval", setup.restart_interval.count()},
            {"interface", setup.interface}};
}

void from_json(const Json& json, AgentSetup& setup) {
    setup.kind = json.at("kind");
    setup.directory = json.at("directory");
    setup.log = json.at("log");
    setup.slots = json.at("slots");
    if (const auto& seconds = json.at("hang_timeout"); !seconds.is_null()) {
        setup.hang_timeout = std::chrono::seconds(seconds.get<std::int64_t>());
    }
    setup.save_timeout = std::chrono::seconds(json.at("save_timeout").get<std::int64_t>());
    setup.restart_interval = std::chrono::seconds(json.at("restart_interval").get<std::int64_t>());
    setup.interface = json.at("interface");
}

}  // namespace crescendo::launch
