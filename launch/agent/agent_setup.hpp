#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/ids.hpp"
#include "launch/json/json.hpp"
#include "launch/messages/supervision.hpp"
#include "launch/slots/slot_plan.hpp"

namespace crescendo::launch {

class Agent;

enum class WorkerKind { warm_trainer, program };

/// How long a trainer may take to save its trial and leave it: CRESCENDO_SAVE_TIMEOUT in seconds; default 60.
std::chrono::seconds save_timeout_of_environment();

/// Wait before a trainer is started again on a slot on which none could start: CRESCENDO_RESTART_INTERVAL in seconds;
/// default 10. Each further wait is three times as long.
std::chrono::seconds restart_interval_of_environment();

/// How a sweep's agents run their workers. It is the same on every node.
struct AgentSetup {
    WorkerKind kind = WorkerKind::program;
    std::vector<std::string> trainer;                  ///< command of warm trainers; empty: crescendo-trainer
    Supervision supervision;                           ///< where workers' reports are, and how long they may be silent
    std::string directory;                             ///< working directory of programs, as seen from every node
    std::string log;                                   ///< file for what warm trainers print while they have no trial
    SlotPlan::Wishes slots;                            ///< the slots that each node should offer
    std::chrono::milliseconds save_timeout = save_timeout_of_environment();  ///< for a warm trainer to leave
    std::chrono::milliseconds restart_interval = restart_interval_of_environment();  ///< first wait if none could start
    std::string interface;  ///< network interface through which groups meet; if empty, loopback on one host, else the
                            ///< interface of the default route

    /// The slots of this node, and the cores and GPUs of each.
    SlotPlan plan() const;

    /// Shares one text per node: takes this node's text and returns the texts of all nodes, in node order.
    using Exchange = std::function<std::vector<std::string>(const std::string& own)>;

    /// Makes this node's agent. `first_slot` is the first of its slots, whose ids are consecutive. All nodes must call
    /// it at the same time, because each needs to know where the workers of the others meet.
    std::unique_ptr<Agent> make_agent(
        NodeId node, SlotId first_slot, const SlotPlan& plan,
        const Exchange& exchange = [](const std::string& own) { return std::vector{own}; }) const;
};

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(AgentSetup, kind, trainer, supervision, directory, log, slots, save_timeout,
                                   restart_interval, interface)

}  // namespace crescendo::launch
