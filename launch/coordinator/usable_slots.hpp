#pragma once

#include <map>
#include <set>
#include <string>

#include "launch/coordinator/decisions.hpp"
#include "launch/coordinator/orders.hpp"
#include "launch/coordinator/slot_health.hpp"
#include "launch/messages/messages.hpp"
#include "launch/view/live_view.hpp"

namespace crescendo::launch {

/// The slots that a session can use. It loses the slots of lost nodes, slots on which no trainer starts (until one
/// does), and, for good, slots on which one trial after another fails.
///
/// Trials that ran on lost slots continue elsewhere. Tells the user about each change.
class UsableSlots {
  public:
    /// All arguments must outlive this object.
    UsableSlots(Decisions& decisions, Orders& orders, LiveView& view);

    void lose(const AgentLost& notice);
    /// Throws std::runtime_error if no slot is left, and none is likely to come back.
    void lose(const SlotDown& notice);
    void regain(const SlotUp& notice);

    /// Call it when a member of a trial's group has failed and the sweep has taken that. Drops slots that are to blame.
    void note_failure(const WorkerFailed& notice);
    /// Notes that the trial has reported something new.
    void note_progress(TrialId trial);

  private:
    void drop(const std::set<SlotId>& slots);
    void leave_out(const std::set<SlotId>& slots);
    std::string name_of(const std::set<SlotId>& slots) const;
    void require_some() const;

    Decisions& decisions_;
    Orders& orders_;
    LiveView& view_;
    SlotHealth health_;
    std::map<SlotId, std::string> devices_;  ///< names of slots on which a worker failed, from their agents
    std::map<SlotId, SlotDown> down_;        ///< slots on which no trainer can start now
};

}  // namespace crescendo::launch
