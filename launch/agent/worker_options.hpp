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

/// Where a group meets whose rank 0 is on a slot.
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
    std::vector<SlotResources> slots;  ///< what each slot of this node gets, from first_slot on
    std::string shared_memory;         ///< path of memory that crescendo-trainer shares on this node; may be empty
    std::chrono::milliseconds grace{5'000};       ///< time for a program to leave before it gets SIGTERM
    std::chrono::milliseconds death{10'000};      ///< time for a warm trainer to end after it was killed
    std::chrono::milliseconds doubt{2'000};       ///< time for an order to leave after a program ended by SIGTERM
    std::chrono::milliseconds patience{600'000};  ///< time after which a program without a report is remarked on
    std::chrono::milliseconds standstill{5'000};  ///< a wait that takes so much longer is no busy machine
    std::vector<MeetingPlace> places;             ///< of all slots on all nodes, by their ids; for programs
    std::vector<TcpPort> ports;                   ///< those of this node's places, which nobody else is to take
};

/// What the worker on `slot` gets: cores, threads, a GPU.
const SlotResources& resources_of(const WorkerOptions& options, SlotId slot);

/// What a user looks after if trials fail on `slot`: "GPU 3 of node17", with ", which 2 slots share" if they do; or
/// "cores 4-7 of node17"; "node17" where the worker may run on any core.
std::string device_name(const WorkerOptions& options, SlotId slot);

/// Variables of a worker's environment that choose the slot's device.
std::vector<std::pair<std::string, std::string>> device_environment(const WorkerOptions& options, SlotId slot);

/// Has programs in Python print at once, unless the user's environment says how they print. Else a log gets an epoch's
/// lines much later, and those before a crash never.
void unbuffer_python(std::vector<std::pair<std::string, std::string>>& environment);

}  // namespace crescendo::launch
