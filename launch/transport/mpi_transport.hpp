#pragma once

#include <functional>
#include <map>
#include <memory>
#include <set>
#include <vector>

#include "launch/agent/agent_setup.hpp"
#include "launch/system/stop_signals.hpp"
#include "launch/transport/heartbeat.hpp"
#include "launch/transport/mpi_session.hpp"
#include "launch/transport/transport.hpp"

namespace crescendo::launch {

/// Many nodes: one agent a rank. That of rank 0 is in the coordinator's process; the others are served by
/// serve_agent() and get the same orders as messages.
///
/// A rank that gives no sign of life for CRESCENDO_HEARTBEAT_TIMEOUT seconds becomes an AgentLost, once. Should it be
/// alive after all, what it says is ignored, and it is sent home.
class MpiTransport final : public Transport {
  public:
    /// At rank 0, while all the other ranks are in serve_agent(): sets up the agents of all of them.
    MpiTransport(MpiSession& session, const AgentSetup& setup, const StopSignals& signals);

    /// Sends every agent home.
    ~MpiTransport() override;
    MpiTransport(MpiTransport&&) = delete;
    MpiTransport& operator=(MpiTransport&&) = delete;

    std::vector<Slot> slots() const override { return slots_; }
    void send(NodeId to, const Order& order) override;
    std::vector<Notice> receive(std::chrono::milliseconds timeout) override;

  private:
    void take_mail(std::vector<Notice>& notices);
    void look_after_ranks(std::vector<Notice>& notices);
    void post();

    MpiSession& session_;
    const StopSignals& signals_;
    std::unique_ptr<Agent> agent_;
    std::vector<Slot> slots_;
    std::map<int, Pulse> pulses_;               ///< of the ranks that live
    std::set<int> agentless_;                   ///< of these, whose agent is lost: they wait to be sent home
    std::map<int, std::vector<Order>> outbox_;  ///< of this turn: a rank gets one message for all of them
    Pace pace_;
};

/// This node's slots, planned by all ranks together: workers are not bound where another rank of the same host
/// would bind its own to the same cores.
SlotPlan plan_together(MpiSession& session, const SlotPlan::Wishes& wishes);

/// What every rank but 0 does: sets up its agent when rank 0 says so, carries out its orders, and returns when
/// it is sent home. `answer_examination` answers rank 0 where `crescendo doctor` asks about this node.
/// Throws std::runtime_error when rank 0 gives no sign of life any more.
using AnswerExamination = std::function<void(MpiSession&, const Bytes& question)>;
void serve_agent(MpiSession& session, const AnswerExamination& answer_examination);

}  // namespace crescendo::launch
