#pragma once

#include <chrono>
#include <vector>

#include "launch/messages/messages.hpp"

namespace crescendo::launch {

/// The coordinator's way to the agents, and back.
///
/// On one node the agent lives in the coordinator's process and a call hands the order over; between
/// nodes the same orders and notices travel as messages.
class Transport {
  public:
    virtual ~Transport() = default;

    /// Every slot of every agent.
    virtual std::vector<Slot> slots() const = 0;

    virtual void send(NodeId to, const Order& order) = 0;

    /// The notices that have arrived; waits for the first one no longer than `timeout`, or until a
    /// signal interrupts.
    virtual std::vector<Notice> receive(std::chrono::milliseconds timeout) = 0;
};

}  // namespace crescendo::launch
