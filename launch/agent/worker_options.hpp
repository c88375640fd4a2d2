#pragma once

#include <chrono>
#include <string>
#include <utility>
#include <vector>

#include "launch/agent/agent_setup.hpp"
#include "launch/messages/messages.hpp"
#include "launch/slots/slot_plan.hpp"
#include "launch/system/tcp_port.hpp"

namespace crescendo::launch {

/// Where a group meets if its rank 0 is on a given slot.
struct MeetingPlace {
    std::string host;
    std::string address;
    int port = 0;
};

/// How this node runs its workers.
struct WorkerOptions {
    AgentSetup setup;
    std::string trainer;               ///< path of crescendo-trainer
    std::string guard;                 ///< path of crescendo-guard
    SlotId first_slot;                 ///< first slot of this node
    std::vector<SlotResources> slots;  ///< resources of each slot of this node, from first_slot on
    std::string shared_memory;         ///< path of memory that crescendo-trainer shares on this node; may be empty
    std::chrono::milliseconds grace{5'000};       ///< time for a program to leave before it gets SIGTERM
    std::chrono::milliseconds death{10'000};      ///< time for a killed warm trainer to end
    std::chrono::milliseconds doubt{2'000};       ///< wait for an order to leave after a signal ended a program
    std::chrono::milliseconds patience{600'000};  ///< time without a report after which the user gets a remark
    std::chrono::milliseconds standstill{5'000};  ///< a wait this much too long means a standstill, not a busy machine
    std::vector<MeetingPlace> places;             ///< by slot id, for all slots on all nodes; for programs
    std::vector<TcpPort> ports;                   ///< the ports of this node's places, reserved
};

/// The cores, threads and GPU of the worker on `slot`.
const SlotResources& resources_of(const WorkerOptions& options, SlotId slot);

/// What a user should check if trials fail on `slot`: "GPU 3 of node17", with ", which 2 slots share" if they do;
/// "cores 4-7 of node17"; or "node17" if the worker may run on any core.
std::string device_name(const WorkerOptions& options, SlotId slot);

/// Environment variables that select the slot's device for its worker.
std::vector<std::pair<std::string, std::string>> device_environment(const WorkerOptions& options, SlotId slot);

/// Makes Python programs print without buffering, unless the user's environment says how they print. With buffering, an
/// epoch's lines reach the log much later, and those before a crash never do.
void unbuffer_python(std::vector<std::pair<std::string, std::string>>& environment);

}  // namespace crescendo::launch
