#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <map>
#include <vector>

#include "core/files/file_descriptor.hpp"
#include "launch/transport/transport.hpp"

namespace crescendo::benchmarks {

/// How the emulated trials train.
struct Load {
    int num_agents = 1024;
    int slots_per_agent = 4;
    std::chrono::duration<double> interval{0};  ///< between a trial's reports; 0: no pause
    std::int64_t num_reports = 1'000'000;       ///< after this many, the sweep gets SIGTERM
};

/// What the agents saw. A wait counts from when its report was due, so that a late answer cannot hide how late the
/// next report is.
struct Observed {
    std::int64_t num_reports = 0;  ///< answered
    double seconds = 0;            ///< from the first group's order to the last answer
    double median_wait = 0;        ///< seconds, over the second half of the reports, when all trials have begun
    double p99_wait = 0;
    double longest_wait = 0;
};

/// Many agents in another process, which pretends to train. Each message between an agent and the coordinator is its
/// own packet, encoded as between MPI ranks.
class EmulatedAgents final : public launch::Transport {
  public:
    explicit EmulatedAgents(const Load& load);

    /// Ends the process. Does not throw.
    ~EmulatedAgents() override;
    EmulatedAgents(EmulatedAgents&&) = delete;
    EmulatedAgents& operator=(EmulatedAgents&&) = delete;

    std::vector<Slot> slots() const override;
    void send(NodeId to, const launch::Order& order) override { outbox_[to].push_back(order); }
    std::vector<launch::Notice> receive(std::chrono::milliseconds timeout) override;

    /// Makes the agents leave, and waits until they have.
    Observed finish();

    std::int64_t num_turns() const { return num_turns_; }  ///< turns that brought messages

  private:
    void post();
    std::vector<launch::Notice> take();

    Load load_;
    FileDescriptor socket_;
    Observed* observed_ = nullptr;  ///< in shared memory
    pid_t process_ = -1;
    std::map<NodeId, std::vector<launch::Order>> outbox_;
    std::vector<std::uint8_t> buffer_;
    std::int64_t num_turns_ = 0;
};

}  // namespace crescendo::benchmarks
