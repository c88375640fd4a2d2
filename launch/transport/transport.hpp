#pragma once

#include <chrono>
#include <vector>

#include "launch/messages/messages.hpp"

namespace crescendo::launch {

/// Carries orders from the coordinator to the agents, and notices back.
///
/// On one node, the agent lives in the coordinator's process, and an order is a function call. Between nodes, the same
/// orders and notices travel as messages.
class Transport {
  public:
    virtual ~Transport() = default;

    /// Every slot of every agent.
    virtual std::vector<Slot> slots() const = 0;

    virtual void send(NodeId to, const Order& order) = 0;

    /// Returns the notices that have arrived. Waits for the first one until `timeout` is over or a signal arrives.
    virtual std::vector<Notice> receive(std::chrono::milliseconds timeout) = 0;
};

}  // namespace crescendo::launch
