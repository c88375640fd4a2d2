#include "launch/agent/agent_setup.hpp"

#include "core/files/host_name.hpp"
#include "launch/agent/agent.hpp"
#include "launch/process/program_paths.hpp"
#include "launch/slots/node_resources.hpp"
#include "launch/system/environment.hpp"

namespace crescendo::launch {

std::chrono::seconds save_timeout_of_environment() {
    return seconds_of_environment("CRESCENDO_SAVE_TIMEOUT", std::chrono::seconds(60));
}

std::chrono::seconds restart_interval_of_environment() {
    return seconds_of_environment("CRESCENDO_RESTART_INTERVAL", std::chrono::seconds(10));
}

SlotPlan AgentSetup::plan() const { return SlotPlan::make(NodeResources::detect(), slots); }

std::unique_ptr<Agent> AgentSetup::make_agent(NodeId node, SlotId first_slot, const SlotPlan& plan,
                                              const Exchange& exchange) const {
    const auto paths = ProgramPaths::find();
    WorkerOptions options;
    options.setup = *this;
    options.trainer = paths.trainer;
    options.guard = paths.guard;
    options.first_slot = first_slot;
    options.slots = plan.slots;
    if (kind == WorkerKind::program) {
        options.ports = std::vector<TcpPort>(plan.slots.size());
        Json own = Json::array();
        for (const auto& port : options.ports) {
            own.push_back({host_name(), address_of(interface), port.number()});
        }
        for (const auto& text : exchange(own.dump())) {
            for (const auto& place : Json::parse(text)) {
                options.places.push_back({place.at(0), place.at(1), place.at(2)});
            }
        }
    }
    return std::make_unique<Agent>(node, std::move(options));
}

}  // namespace crescendo::launch
