#pragma once

#include <map>
#include <optional>
#include <set>
#include <vector>

#include "scheduler/sweep/sweep.hpp"

namespace crescendo {

/// Records which trial has which slot, from a sweep's events and actions alone, as a launcher would. After every event,
/// the records are compared with the sweep. If an action is impossible, or a slot idles while a trial is runnable,
/// std::logic_error names the broken rule.
class SlotBooks {
  public:
    explicit SlotBooks(SweepSpec spec) : sweep_(std::move(spec)) {}

    std::vector<Action> apply(const Event& event);

    /// The sampler's next proposal, to be applied.
    std::optional<Event> propose() { return sweep_.propose(); }

    const Sweep& sweep() const { return sweep_; }
    const std::map<TrialId, Group>& groups() const { return groups_; }
    const std::set<SlotId>& joined() const { return joined_; }

  private:
    void enter(const Event& event);
    void enter(const StartTrial& action);
    void enter(const ResumeTrial& action);
    void enter(const Regroup& action);
    void enter(const PauseTrial& action);
    void enter(const StopTrial& action);
    void enter(const DropCheckpoint& action);
    void enter(const FinishSweep& action);
    void lose(SlotId slot);
    void place(TrialId trial, const Group& group);
    void vacate(TrialId trial);

    void check_slots() const;
    void check_trials() const;
    void check_reason(const Trial& trial) const;
    static bool opens_again(const Event& event);
    void check_ends();
    void check_nothing_idles() const;
    void note_suspect(const TrialFailed& event);
    void note_progress(const Event& event, Resource before);
    bool may_refuse(const Trial& trial, int smallest) const;
    int num_claimed() const;
    int num_places(bool only_free) const;
    void check_end() const;

    Sweep sweep_;
    std::set<SlotId> joined_;
    std::set<SlotId> used_;
    std::map<TrialId, Group> groups_;
    std::set<TrialId> hit_;               // lost workers in this event, and have not been told yet how to continue
    std::map<TrialId, int> generations_;  // the last of every trial that ever had a group
    std::set<TrialId> dropped_;
    std::map<TrialId, TrialStatus> ends_;
    std::map<SlotId, NodeId> nodes_;
    std::map<SlotId, int> gpus_;                    // of slots that share one
    std::map<TrialId, std::set<SlotId>> suspects_;  // slots on which a trial failed, and no trial has reported since
    std::set<TrialId> on_last_attempt_;             // trials that have suspects
    bool finished_ = false;
};

}  // namespace crescendo
