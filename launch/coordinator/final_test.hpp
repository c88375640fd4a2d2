#pragma once

#include <chrono>
#include <map>
#include <optional>
#include <string>

#include "launch/coordinator/one_of.hpp"
#include "launch/coordinator/orders.hpp"
#include "launch/messages/messages.hpp"
#include "launch/view/live_view.hpp"

namespace crescendo::launch {

/// The last phase of a sweep: its best trial is measured on the test data.
class FinalTest {
  public:
    /// Orders the evaluation. `orders` and `view` must outlive the phase.
    FinalTest(TrialId best, Orders& orders, LiveView& view);

    bool begin_turn() const;
    std::chrono::milliseconds period() const { return view_.period(); }
    void end_turn() {}

    void take(const TrialEvaluated& notice) { answer_ = notice; }
    /// No trial has a group any more.
    void take(const OneOf<protocol::Report, ProgramEnded, ProgramRemark, WorkerFailed, StoreRequest,
                          protocol::Regrouped, LeftTrial, AgentLost, WorkerStranded, CheckpointFailed, SlotDown,
                          SlotUp, EnergyUsed> auto&) {}

    /// Call it when the phase is over. Returns the metrics; none if there are none, and the user has then read why.
    std::optional<std::map<std::string, double>> conclude();

  private:
    LiveView& view_;
    std::chrono::steady_clock::time_point deadline_;
    std::optional<TrialEvaluated> answer_;
};

}  // namespace crescendo::launch
