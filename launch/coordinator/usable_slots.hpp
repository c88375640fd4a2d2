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

/// The slots that a session can use. It loses those of lost nodes, those where no trainer starts, until one does, and
/// those where one trial after the other fails, for good.
///
/// What was trained on lost slots continues elsewhere. The user is told of each change.
class UsableSlots {
  public:
    /// All must outlive it.
    UsableSlots(Decisions& decisions, Orders& orders, LiveView& view);

    void lose(const AgentLost& notice);
    /// Throws std::runtime_error if nothing is left to run on, and no slot is likely to come back.
    void lose(const SlotDown& notice);
    void regain(const SlotUp& notice);

    /// A member of a trial's group has failed, and the sweep knows it. Leaves slots out if they are to blame.
    void note_failure(const WorkerFailed& notice);
    /// The trial has reported something new.
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
    std::map<SlotId, std::string> devices_;  ///< of slots where a worker failed, as their agents call them
    std::map<SlotId, SlotDown> down_;        ///< slots on which no trainer can be started now
};

}  // namespace crescendo::launch
