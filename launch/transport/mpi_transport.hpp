#pragma once

#include <functional>
#include <map>
#include <memory>
#include <set>
#include <vector>

#include "launch/agent/agent.hpp"
#include "launch/process/stop_signals.hpp"
#include "launch/transport/heartbeat.hpp"
#include "launch/transport/mpi_session.hpp"
#include "launch/transport/transport.hpp"

namespace crescendo::launch {

/// The transport for several nodes, with one agent per rank. The agent of rank 0 is in the coordinator's process. The
/// others run in serve_agent() and get the same orders as messages.
///
/// A rank that is silent for CRESCENDO_HEARTBEAT_TIMEOUT seconds becomes one AgentLost. If it turns out to be alive,
/// its messages are ignored and it is told to leave.
class MpiTransport final : public Transport {
  public:
    /// Sets up the agents of all ranks. Call it on rank 0 while all other ranks are in serve_agent().
    MpiTransport(MpiSession& session, const AgentSetup& setup, const StopSignals& signals);

    /// Tells every agent to leave.
    ~MpiTransport() override;
    MpiTransport(MpiTransport&&) = delete;
    MpiTransport& operator=(MpiTransport&&) = delete;

    std::vector<Slot> slots() const override { return slots_; }

    /// SlotPlan::crowding of rank 0.
    const std::string& crowding() const { return crowding_; }
    void send(NodeId to, const Order& order) override;
    std::vector<Notice> receive(std::chrono::milliseconds timeout) override;

  private:
    void take_mail(std::vector<Notice>& notices);
    void look_after_ranks(std::vector<Notice>& notices);
    void post();

    MpiSession& session_;
    const StopSignals& signals_;
    std::unique_ptr<Agent> agent_;
    std::string crowding_;
    std::vector<Slot> slots_;
    std::map<int, SilenceTimer> silence_timers_;  ///< of the other living ranks
    std::set<int> agentless_;                   ///< living ranks whose agent is lost; not yet told to leave
    std::map<int, std::vector<Order>> outbox_;  ///< orders of this turn; each rank gets its orders in one message
    Pace pace_;
};

/// interface_of_groups() of this node, by the hosts of all ranks. All ranks must call it together.
std::string interface_between(MpiSession& session, const std::string& chosen);

/// Plans this node's slots. All ranks must call it together. Workers are not bound if another rank of the same host
/// would bind its workers to the same cores. This is the only function that sets `crowding`.
SlotPlan plan_together(MpiSession& session, const SlotPlan::Wishes& wishes);

/// Answers a question from `crescendo doctor` about this node.
using AnswerExamination = std::function<void(MpiSession&, const Bytes& question)>;

/// Runs every rank except rank 0: sets up its agent when rank 0 asks for it, carries out its orders, and returns when
/// rank 0 tells it to leave. Throws std::runtime_error if rank 0 falls silent.
void serve_agent(MpiSession& session, const AnswerExamination& answer_examination);

}  // namespace crescendo::launch
