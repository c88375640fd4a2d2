#pragma once

#include <string>

#include "launch/doctor/finding.hpp"
#include "launch/slots/slot_plan.hpp"

namespace crescendo::launch {

/// What `crescendo doctor` asks every node to examine.
struct Examination {
    std::string directory;  ///< where sweeps are to keep their files, absolute
    std::string probe;      ///< path of rank 0's Probe in that directory; empty if there is no probe
    SlotPlan::Wishes slots;
    std::string interface;  ///< network interface for groups; empty: the default
};

/// What a node answers to an Examination.
struct NodeReport {
    std::string host;
    SlotPlan plan;
    Findings findings;
};

/// Examines this node: its limits, its programs, its interface, and how it sees the directory.
NodeReport examine_node(const Examination& examination, SlotPlan plan);

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Examination, directory, probe, slots, interface)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(NodeReport, host, plan, findings)

}  // namespace crescendo::launch
