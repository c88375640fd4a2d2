#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>

#include "launch/agent/agent.hpp"
#include "launch/slots/slot_plan.hpp"

namespace crescendo::launch {

/// How long a trainer may take to save its trial and leave it: CRESCENDO_SAVE_TIMEOUT, in seconds; 60 unless it is set.
std::chrono::seconds save_timeout_of_environment();

/// After which time a trainer is started again on a slot where none could; then after three times as long, and so on:
/// CRESCENDO_RESTART_INTERVAL, in seconds; 10 unless it is set.
std::chrono::seconds restart_interval_of_environment();

/// How the agents of a sweep are set up: the same on every node.
struct AgentSetup {
    WorkerKind kind = WorkerKind::program;
    std::string directory;                             ///< working directory of programs, as seen from every node
    std::string log;                                   ///< what warm trainers print while they hold no trial
    SlotPlan::Wishes slots;                            ///< of each node
    std::optional<std::chrono::seconds> hang_timeout;  ///< of a worker, as in the sweep file
    std::chrono::seconds save_timeout = save_timeout_of_environment();  ///< then a warm trainer is killed
    std::chrono::seconds restart_interval = restart_interval_of_environment();
    std::string interface;  ///< by which groups meet; if empty, loopback, or between hosts that of the default route

    /// What this node has, cut into slots.
    SlotPlan plan() const;

    /// This node's agent. `first_slot` is the first of its slots, which follow on each other.
    std::unique_ptr<Agent> make_agent(NodeId node, SlotId first_slot, const SlotPlan& plan) const;
};

void to_json(Json& json, const AgentSetup& setup);
void from_json(const Json& json, AgentSetup& setup);

}  // namespace crescendo::launch
