#pragma once

#include <chrono>
#include <optional>

#include "core/trial_protocol.hpp"
#include "launch/coordinator/one_of.hpp"
#include "launch/coordinator/orders.hpp"
#include "launch/coordinator/session_end.hpp"
#include "launch/messages/messages.hpp"
#include "launch/messages/supervision.hpp"
#include "launch/transport/heartbeat.hpp"
#include "launch/view/live_view.hpp"

namespace crescendo::launch {

/// How long the measurement may take. A worker that hangs is killed where silence is noticed, so there it may take as
/// long as the test data do; else ten minutes.
std::optional<std::chrono::minutes> longest_test(const Supervision& supervision);

/// The last phase of a sweep: its best trial is measured on the test data.
class FinalTest {
  public:
    /// Orders the evaluation. `orders`, `view` and `end` must outlive the phase.
    FinalTest(TrialId best, Orders& orders, LiveView& view, SessionEnd& end,
              std::optional<std::chrono::minutes> longest);

    /// `now` is the present, but for tests.
    bool begin_turn(std::chrono::steady_clock::time_point now = std::chrono::steady_clock::now());
    std::chrono::milliseconds period() const { return view_.period(); }
    void end_turn() {}

    void take(const TrialEvaluated& notice) { answer_ = notice; }
    void take(const AgentLost& notice);
    void take(const SlotDown& notice);
    /// No trial has a group any more.
    void take(
        const OneOf<protocol::Report, ProgramEnded, ProgramRemark, WorkerFailed, StoreRequest, protocol::Regrouped,
                    protocol::Timed, LeftTrial, WorkerStranded, CheckpointFailed, SlotUp, EnergyUsed> auto&) {}

    /// Call it when the phase is over. Returns the metrics; none if there are none, and the user has then read why.
    std::optional<protocol::Metrics> conclude();

    /// Whether the session had to end before the answer came. Another one can measure the trial.
    bool is_cut_short() const { return is_cut_short_; }

  private:
    TrialId best_;
    Orders& orders_;
    LiveView& view_;
    SessionEnd& end_;
    std::optional<SlotId> slot_;            ///< the one on which the trial is measured
    std::optional<SilenceTimer> patience_;  ///< with the worker that measures it
    bool is_cut_short_ = false;
    std::optional<TrialEvaluated> answer_;
};

}  // namespace crescendo::launch
