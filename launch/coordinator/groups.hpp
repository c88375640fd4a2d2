#pragma once

#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "scheduler/actions.hpp"

namespace crescendo::launch {

/// Which workers train which trial, and which were told to leave a trial and have not done so yet: what the coordinator
/// remembers of its orders.
///
/// A trial that is resumed never meets its former workers, which might still write its files: as long as a worker still
/// has to leave the trial, its new group is held back.
class Groups {
  public:
    /// When a program was told to leave for another group, and when it was started there: seconds of the wall clock.
    struct Restart {
        double decided = 0;
        double started = 0;
    };

    /// A group that waits until its trial's former workers have left.
    struct HeldBack {
        TrialId trial;
        Group group;
        std::optional<double> decided;  ///< as in Restart; none: the trial is resumed
    };

    /// The members are told to form a group. Returns the former members that are not in it. These are leaving from now
    /// on.
    std::vector<SlotId> form(TrialId trial, const Group& group);

    /// The group just formed continues in memory with other members than before. note_formed() will say when it trains.
    void note_regrouping(TrialId trial) { members_.at(trial).is_regrouping = true; }

    /// The group just formed is a program that was started anew with other members than before.
    void note_restart(TrialId trial, const Restart& restart) { members_.at(trial).restart = restart; }

    /// Returns how the group's program was started anew, once: at its first report there.
    std::optional<Restart> take_restart(TrialId trial) { return std::exchange(members_.at(trial).restart, {}); }

    /// Makes all members leave from now on, drops a group that was held back, and returns the members.
    std::vector<SlotId> dismiss(TrialId trial);

    /// The worker has left the trial as it was told. It may be a member again by now.
    void note_departure(TrialId trial, SlotId slot) { leaving_.erase({trial, slot}); }

    /// The worker has died: it is neither a member nor leaving any more.
    void note_death(TrialId trial, SlotId slot);

    /// All workers on these slots have died. A group that is held back and has no other members is dropped.
    void lose(const std::set<SlotId>& slots);

    /// The group's first step is done. Returns whether this is the first notice of it after a regroup in memory.
    bool note_formed(TrialId trial, int generation);

    /// The member lost touch with the others. Returns whether now all members have, so that there is none left to wait
    /// for.
    bool note_stranded(TrialId trial, SlotId slot, int generation);

    /// How often all members of the trial lost touch with each other since its last report.
    int num_strandings(TrialId trial) const { return members_.at(trial).num_strandings; }
    void note_report(TrialId trial) { members_.at(trial).num_strandings = 0; }

    bool empty() const { return members_.empty(); }
    bool has(TrialId trial) const { return members_.contains(trial); }
    bool is_member(TrialId trial, SlotId slot) const;
    /// The trial's members in rank order; empty if it has no group.
    std::vector<SlotId> members(TrialId trial) const;
    std::vector<TrialId> trials() const;
    /// The trials of which a worker may still run: those with members, and those that somebody is leaving.
    std::set<TrialId> at_work() const;

    bool is_leaving(TrialId trial) const;
    bool is_anybody_leaving() const { return !leaving_.empty(); }

    /// Holds the group back until no worker is leaving the trial. It replaces a group that was held back before, which
    /// was `decided` when that was.
    void hold_back(TrialId trial, const Group& group, std::optional<double> decided = {});
    bool is_held_back(TrialId trial) const { return held_back_.contains(trial); }
    void drop_held_back() { held_back_.clear(); }
    /// Takes a group that nothing holds back any more, if there is one.
    std::optional<HeldBack> take_ready();

  private:
    struct Members {
        std::vector<SlotId> slots;
        int generation = 0;
        bool is_regrouping = false;
        std::set<SlotId> stranded;
        int num_strandings = 0;
        std::optional<Restart> restart;  ///< that no report has followed yet
    };

    std::map<TrialId, Members> members_;
    std::set<std::pair<TrialId, SlotId>> leaving_;
    std::map<TrialId, HeldBack> held_back_;
};

}  // namespace crescendo::launch
