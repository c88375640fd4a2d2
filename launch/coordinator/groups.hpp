#pragma once

#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "scheduler/actions.hpp"

namespace crescendo::launch {

/// The coordinator's memory of its orders: which workers train each trial, and which were told to leave one and have
/// not left yet.
///
/// A resumed trial never meets its former workers, which might still write its files: its new group is held back until
/// all of them have left.
class Groups {
  public:
    /// When a program was told to leave so that its group can change, and when it was started again, in seconds of the
    /// wall clock.
    struct Restart {
        double decided = 0;
        double started = 0;
    };

    /// A group that waits until its trial's former workers have left.
    struct HeldBack {
        TrialId trial;
        Group group;
        std::optional<double> decided;  ///< as in Restart; none if the trial is resumed
    };

    /// Makes these slots the trial's group. Returns the former members that are not in it, which are leaving from now
    /// on.
    std::vector<SlotId> form(TrialId trial, const Group& group);

    /// Marks the group just formed as continuing in memory with other members. note_formed() will say when it trains.
    void note_regrouping(TrialId trial) { members_.at(trial).is_regrouping = true; }

    /// Marks the group just formed as a program that was started again with other members.
    void note_restart(TrialId trial, const Restart& restart) { members_.at(trial).restart = restart; }

    /// Takes the group's restart, if there was one. Called at the first report after it.
    std::optional<Restart> take_restart(TrialId trial) { return std::exchange(members_.at(trial).restart, {}); }

    /// Makes all members leave from now on, drops the trial's group that was held back, and returns the members.
    std::vector<SlotId> dismiss(TrialId trial);

    /// Notes that the worker has left the trial as ordered. It may be a member again by now.
    void note_departure(TrialId trial, SlotId slot) { leaving_.erase({trial, slot}); }

    /// Notes that the worker has died: it is no longer a member, and no longer leaving.
    void note_death(TrialId trial, SlotId slot);

    /// Notes that all workers on these slots have died. Drops a group that was held back if it has no other members.
    void lose(const std::set<SlotId>& slots);

    /// Notes that the group has done its first step. Returns whether this is the first such notice after a regroup in
    /// memory.
    bool note_formed(TrialId trial, int generation);

    /// Notes that the member lost contact with the others. Returns whether all members now have, so that none is left
    /// to wait for.
    bool note_stranded(TrialId trial, SlotId slot, int generation);

    /// How many times all members of the trial have lost contact with each other since its last report.
    int num_strandings(TrialId trial) const { return members_.at(trial).num_strandings; }
    void note_report(TrialId trial) { members_.at(trial).num_strandings = 0; }

    bool empty() const { return members_.empty(); }
    bool has(TrialId trial) const { return members_.contains(trial); }
    bool is_member(TrialId trial, SlotId slot) const;
    /// The trial's members in rank order; empty if it has no group.
    std::vector<SlotId> members(TrialId trial) const;
    std::vector<TrialId> trials() const;
    /// The trials that may still have a running worker: those with members, and those that a worker is leaving.
    std::set<TrialId> at_work() const;

    bool is_leaving(TrialId trial) const;
    bool is_anybody_leaving() const { return !leaving_.empty(); }

    /// Holds the group back until no worker is leaving the trial. It replaces a group that was held back before, and
    /// keeps the time at which that one was `decided`.
    void hold_back(TrialId trial, const Group& group, std::optional<double> decided = {});
    bool is_held_back(TrialId trial) const { return held_back_.contains(trial); }
    /// Takes a group that nothing holds back any more, if there is one.
    std::optional<HeldBack> take_ready();

  private:
    struct Members {
        std::vector<SlotId> slots;
        int generation = 0;
        bool is_regrouping = false;
        std::set<SlotId> stranded;
        int num_strandings = 0;
        std::optional<Restart> restart;  ///< a restart that no report has followed yet
    };

    std::map<TrialId, Members> members_;
    std::set<std::pair<TrialId, SlotId>> leaving_;
    std::map<TrialId, HeldBack> held_back_;
};

}  // namespace crescendo::launch
