#pragma once

#include <chrono>
#include <optional>
#include <set>
#include <vector>

#include "launch/coordinator/groups.hpp"
#include "launch/coordinator/slot_map.hpp"
#include "launch/directory/kept_trials.hpp"
#include "launch/directory/sweep_directory.hpp"
#include "launch/messages/messages.hpp"
#include "launch/sweep_file/sweep_file.hpp"
#include "launch/trainers/rendezvous.hpp"
#include "launch/transport/transport.hpp"
#include "scheduler/sweep/sweep.hpp"

namespace crescendo::launch {

/// Time limit for removing files per turn, so that reports are answered meanwhile.
inline constexpr std::chrono::milliseconds longest_cleaning{20};

/// Turns the scheduler's actions into orders to the agents, and remembers which workers train which trials.
class Orders {
  public:
    /// `sweep` is the sweep whose actions are carried out, in its state after them. All arguments must outlive this
    /// object.
    Orders(const SweepFile& file, const SweepDirectory& directory, const Sweep& sweep, Transport& transport);

    Groups& groups() { return groups_; }
    const SlotMap& slots() const { return slots_; }

    void carry_out(const std::vector<Action>& actions);

    /// Starts and resumes no more trials: the next session does it.
    void start_no_more() { starts_no_more_ = true; }

    /// Answers the trial's report, unless one of the actions that it led to does so.
    void answer(TrialId trial, const std::vector<Action>& actions);
    void go_on(TrialId trial);

    /// Answers the store requests of a group that meets. Workers of a trial that was left or lost get no answer.
    void answer(const StoreRequest& request);

    /// Makes the members of the trial's group meet again, with the state that they have in memory.
    void form_again(TrialId trial) { join(trial, sweep_.trial(trial).group, protocol::StateSource::memory); }

    /// Makes all workers of the trial leave it; with `save`, they first write its checkpoint.
    void dismiss(TrialId trial, bool save);

    /// Whether the workers that are leaving the trial were told to save it.
    bool is_to_save(TrialId trial) const { return to_save_.contains(trial); }

    /// Makes all workers of all trials write their checkpoints and leave.
    void dismiss_all();

    /// Call it when workers have left their trials or died. Forms the groups that waited for that, and forgets the
    /// store entries of groups without workers.
    void resume_held_back();

    /// Notes that these slots are lost and their workers dead.
    void lose(const std::set<SlotId>& slots);
    /// Notes that a worker runs on the slot again.
    void note_back(SlotId slot) { lost_.erase(slot); }

    /// Runs the trial's checkpoint on the test data. Returns the slot on which it runs; none if all slots are lost.
    std::optional<SlotId> test(TrialId trial);

    /// Removes files that nothing needs any more (KeptTrials) until `end`, but at least one. Files that a worker may
    /// still be writing, because it has not left the trial yet, must wait. Returns whether others are left.
    bool clean_up(std::chrono::steady_clock::time_point end);

  private:
    void carry_out(const StartTrial& action);
    void carry_out(const ResumeTrial& action);
    void carry_out(const Regroup& action);
    void carry_out(const PauseTrial& action);
    void carry_out(const StopTrial& action);
    void carry_out(const DropCheckpoint& action);
    void carry_out(const FinishSweep&) {}

    /// Whether the trial has workers, or a worker is leaving it.
    bool is_at_work(TrialId trial) const { return groups_.has(trial) || groups_.is_leaving(trial); }
    void empty_directory(TrialId trial) const;
    void prepare_directory(TrialId trial) const;
    void join(TrialId trial, const Group& group, protocol::StateSource state);
    void leave(TrialId trial, bool save);

    const SweepFile& file_;
    const SweepDirectory& directory_;
    const Sweep& sweep_;
    Transport& transport_;
    SlotMap slots_;
    Groups groups_;
    Rendezvous rendezvous_;
    KeptTrials kept_;
    std::set<SlotId> lost_;
    std::set<TrialId> to_save_;   ///< trials whose workers were last told to save before they leave
    std::set<TrialId> obsolete_;  ///< trials whose files may be removed but have not been yet
    bool starts_no_more_ = false;
};

}  // namespace crescendo::launch
