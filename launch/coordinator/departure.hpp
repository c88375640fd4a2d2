#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "launch/coordinator/decisions.hpp"
#include "launch/coordinator/orders.hpp"
#include "launch/messages/messages.hpp"
#include "launch/transport/heartbeat.hpp"
#include "launch/view/live_view.hpp"

namespace crescendo::launch {

/// The phase of a session in which workers leave their trials. Trials that were told to save write a checkpoint first.
///
/// If the sweep is over, the phase lasts until all files that nothing needs any more are removed; otherwise the next
/// session removes them.
///
/// Only the energy used goes into the journal: the next session begins by losing this session's slots.
class Departure {
  public:
    /// All arguments must outlive the phase.
    Departure(Decisions& decisions, Orders& orders, LiveView& view);

    /// `now` is the present time, except in tests.
    bool begin_turn(std::chrono::steady_clock::time_point now = std::chrono::steady_clock::now());
    std::chrono::milliseconds period() const;
    void end_turn() {}

    void take(const LeftTrial& notice);
    void take(const WorkerFailed& notice) { groups_.note_death(notice.trial, notice.slot); }
    void take(const CheckpointFailed& notice);
    void take(const AgentLost& notice) { orders_.lose(orders_.slots().slots_of(notice.node)); }
    void take(const SlotDown& notice) { orders_.lose({notice.slot}); }
    void take(const SlotUp& notice) { orders_.note_back(notice.slot); }
    void take(const EnergyUsed& notice) { decisions_.record(notice); }
    /// Answers the store: a group that is still forming may have to meet before it can leave.
    void take(const StoreRequest& notice) { orders_.answer(notice); }
    /// Ignores notices that crossed with the order to leave: nothing is decided any more.
    void take(const OneOf<protocol::Report, ProgramEnded, ProgramRemark, protocol::Regrouped, protocol::Timed,
                          TrialEvaluated, WorkerStranded> auto&) {}

    /// Call it when the phase is over. Reports which workers have not left. Throws DirectoryError if a checkpoint could
    /// not be written.
    void conclude();

  private:
    Decisions& decisions_;
    Orders& orders_;
    Groups& groups_;  ///< the groups of `orders_`
    LiveView& view_;
    SilenceTimer patience_;               ///< how long workers that must leave may be silent
    std::optional<std::string> problem_;  ///< why a checkpoint could not be written
};

}  // namespace crescendo::launch
