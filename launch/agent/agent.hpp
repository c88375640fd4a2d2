#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "core/files/memory_file.hpp"
#include "launch/agent/node_energy.hpp"
#include "launch/agent/worker.hpp"
#include "launch/agent/worker_options.hpp"
#include "launch/messages/messages.hpp"
#include "launch/system/clock.hpp"

namespace crescendo::launch {

/// The slots of one node in the scheduler's terms. SlotPlan documents how they are planned.
std::vector<Slot> slots_of_node(NodeId node, SlotId first, int count, int num_shared_gpus);

/// Owns the slots of one node: starts the workers, watches them, and passes orders and notices on.
///
/// It knows about trials only what the orders say. It has one thread; between calls, only the workers run.
class Agent {
  public:
    Agent(NodeId node, WorkerOptions options);

    /// Ends every worker and waits until all their processes have ended. Leaves behind only a process that cannot be
    /// killed.
    ~Agent();
    Agent(Agent&&) = delete;
    Agent& operator=(Agent&&) = delete;

    std::vector<Slot> slots() const;

    /// Throws std::runtime_error if a worker's program cannot be executed at all.
    void obey(const Order& order);

    /// Returns what the workers did. Waits up to `timeout` for the first notice. A signal ends the wait: signals that
    /// the process has blocked are delivered only here and in StopSignals::requested().
    std::vector<Notice> poll(std::chrono::microseconds timeout);

  private:
    void carry_out(const JoinGroup& order);
    void carry_out(const protocol::Decision& order);
    void carry_out(const LeaveTrial& order);
    void carry_out(const EvaluateTrial& order);
    void carry_out(const AnswerStore& order);

    Worker& worker(SlotId slot) {
        return *workers_.at(static_cast<std::size_t>(slot.value - options_.first_slot.value));
    }
    void excuse_standstill();
    void excuse(Clock::duration time);
    std::vector<Notice> advance();
    bool note_trials();
    void share_memory();

    NodeId node_;
    WorkerOptions options_;
    std::optional<MemoryFile> shared_memory_;  ///< shared by this node's trainers; none if they have nothing to share
    OomKills oom_kills_;
    std::vector<std::unique_ptr<Worker>> workers_;
    NodeEnergy energy_;
    Clock::time_point looked_ = Clock::now();  ///< when this process last looked at its workers, or got an order
    bool had_trials_ = false;  ///< whether a worker had a trial since advance() last looked, if energy is measured
};

}  // namespace crescendo::launch
