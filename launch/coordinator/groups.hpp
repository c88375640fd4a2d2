#pragma once

#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "scheduler/actions.hpp"

namespace crescendo::launch {

/// Who works for which trial, and who was told to leave one and has not done so yet: what the coordinator remembers of
/// its orders.
///
/// A trial that is resumed never meets its former self, which might still write its files: while anybody has to leave
/// it, its new group is held back.
class Groups {
  public:
    /// The members are told to come together. Returns who was a member and is one no longer; they are leaving from now
    /// on.
    std::vector<SlotId> form(TrialId trial, const Group& group);

    /// The group just formed is another than before, in memory: note_formed() will tell when it is at work.
    void note_regrouping(TrialId trial) { members_.at(trial).is_regrouping = true; }

    /// All members are leaving from now on, and no group is held back; returns them.
    std::vector<SlotId> dismiss(TrialId trial);

    /// The trial's workers have ended of themselves: nobody has to be told.
    void forget(TrialId trial) { members_.erase(trial); }

    /// The worker has left the trial, as it was told. It may be a member again by now.
    void note_departure(TrialId trial, SlotId slot) { leaving_.erase({trial, slot}); }

    /// The worker has died, and is neither a member any more nor leaving.
    void note_death(TrialId trial, SlotId slot);

    /// Everybody on these slots has died. A group held back that would have nobody else is dropped.
    void lose(const std::set<SlotId>& slots);

    /// The group's first step is done. Returns whether that is news: its trial was regrouped, and has said so not yet.
    bool note_formed(TrialId trial, int generation);

    /// The member lost touch with the others. Returns whether all have, so that nobody is left to be waited for.
    bool note_stranded(TrialId trial, SlotId slot, int generation);

    /// How often that has happened since the trial's last report.
    int num_strandings(TrialId trial) const { return members_.at(trial).num_strandings; }
    void note_report(TrialId trial) { members_.at(trial).num_strandings = 0; }

    bool empty() const { return members_.empty(); }
    bool has(TrialId trial) const { return members_.contains(trial); }
    bool is_member(TrialId trial, SlotId slot) const;
    /// In rank order; empty where the trial has no group.
    std::vector<SlotId> members(TrialId trial) const;
    std::vector<TrialId> trials() const;

    bool is_leaving(TrialId trial) const;
    bool is_anybody_leaving() const { return !leaving_.empty(); }

    /// The group is to be formed as soon as nobody is leaving the trial; in place of one held back before.
    void hold_back(TrialId trial, const Group& group) { held_back_[trial] = group; }
    bool is_held_back(TrialId trial) const { return held_back_.contains(trial); }
    void drop_held_back() { held_back_.clear(); }
    /// One that nothing holds back any longer.
    std::optional<std::pair<TrialId, Group>> take_ready();

  private:
    struct Members {
        std::vector<SlotId> slots;
        int generation = 0;
        bool is_regrouping = false;
        std::set<SlotId> stranded;
        int num_strandings = 0;
    };

    std::map<TrialId, Members> members_;
    std::set<std::pair<TrialId, SlotId>> leaving_;
    std::map<TrialId, Group> held_back_;
};

}  // namespace crescendo::launch
