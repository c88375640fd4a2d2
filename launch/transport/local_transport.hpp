#pragma once

#include <memory>
#include <utility>

#include "launch/agent/agent.hpp"
#include "launch/transport/transport.hpp"

namespace crescendo::launch {

/// The transport for one node, whose only agent is in this process. Messages are not encoded, and receive() waits in
/// the agent's poll().
class LocalTransport final : public Transport {
  public:
    explicit LocalTransport(std::unique_ptr<Agent> agent) : agent_(std::move(agent)) {}

    std::vector<Slot> slots() const override { return agent_->slots(); }
    void send(NodeId, const Order& order) override { agent_->obey(order); }
    std::vector<Notice> receive(std::chrono::milliseconds timeout) override { return agent_->poll(timeout); }

  private:
    std::unique_ptr<Agent> agent_;
};

}  // namespace crescendo::launch
