#pragma once

#include <chrono>
#include <optional>

#include "core/trial_protocol.hpp"
#include "launch/coordinator/orders.hpp"
#include "launch/coordinator/session_end.hpp"
#include "launch/messages/messages.hpp"
#include "launch/messages/supervision.hpp"
#include "launch/transport/heartbeat.hpp"
#include "launch/view/live_view.hpp"

namespace crescendo::launch {

/// The time limit of the final test. There is none if the sweep has a hang timeout, because a worker that hangs is then
/// killed for its silence; otherwise ten minutes.
std::optional<std::chrono::minutes> longest_test(const Supervision& supervision);

/// The last phase of a sweep: measures its best trial on the test data.
class FinalTest {
  public:
    /// Orders the evaluation. `orders`, `view` and `end` must outlive the phase.
    FinalTest(TrialId best, Orders& orders, LiveView& view, SessionEnd& end,
              std::optional<std::chrono::minutes> longest);

    /// `now` is the present time, except in tests.
    bool begin_turn(std::chrono::steady_clock::time_point now = std::chrono::steady_clock::now());
    std::chrono::milliseconds period() const { return view_.period(); }
    void end_turn() {}

    void take(const TrialEvaluated& notice) { answer_ = notice; }
    void take(const AgentLost& notice);
    void take(const SlotDown& notice);
    /// Ignores these notices: no trial has a group any more.
    void take(
        const OneOf<protocol::Report, ProgramEnded, ProgramRemark, WorkerFailed, StoreRequest, protocol::Regrouped,
                    protocol::Timed, LeftTrial, WorkerStranded, CheckpointFailed, SlotUp, EnergyUsed> auto&) {}

    /// Call it when the phase is over. Returns the metrics, or nothing if there are none; the user has then been told
    /// why.
    std::optional<protocol::Metrics> conclude();

    /// Whether the session had to end before the answer came. A later session can measure the trial.
    bool is_cut_short() const { return is_cut_short_; }

  private:
    TrialId best_;
    Orders& orders_;
    LiveView& view_;
    SessionEnd& end_;
    std::optional<SlotId> slot_;            ///< the slot on which the trial is measured
    std::optional<SilenceTimer> patience_;  ///< how long the measuring worker may be silent
    bool is_cut_short_ = false;
    std::optional<TrialEvaluated> answer_;
};

}  // namespace crescendo::launch
