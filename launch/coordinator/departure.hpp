#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "launch/coordinator/decisions.hpp"
#include "launch/coordinator/one_of.hpp"
#include "launch/coordinator/orders.hpp"
#include "launch/messages/messages.hpp"
#include "launch/transport/heartbeat.hpp"
#include "launch/view/live_view.hpp"

namespace crescendo::launch {

/// The phase of a session in which workers leave their trials. What ran writes its checkpoint first, if it was told to.
///
/// If the sweep is over, the phase lasts until all files are removed that nothing will need again; else the next
/// session removes them.
///
/// The journal needs no word of it but the energy that was used: the next session begins with the loss of this
/// session's slots.
class Departure {
  public:
    /// All must outlive the phase.
    Departure(Decisions& decisions, Orders& orders, LiveView& view);

    /// `now` is the present, but for tests.
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
    /// A group that was still forming may have to come together before it can leave.
    void take(const StoreRequest& notice) { orders_.answer(notice); }
    /// What crossed with the order to leave: nothing is decided any more.
    void take(const OneOf<protocol::Report, ProgramEnded, ProgramRemark, protocol::Regrouped, protocol::Timed,
                          TrialEvaluated, WorkerStranded> auto&) {}

    /// Call it when the phase is over. Says which workers have not left. Throws DirectoryError if a checkpoint could
    /// not be written.
    void conclude();

  private:
    Decisions& decisions_;
    Orders& orders_;
    Groups& groups_;  ///< of `orders_`
    LiveView& view_;
    SilenceTimer patience_;               ///< with those that have to leave
    std::optional<std::string> problem_;  ///< why a checkpoint could not be written
};

}  // namespace crescendo::launch
