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

/// How long files are removed in a turn, so that reports are answered meanwhile.
inline constexpr std::chrono::milliseconds longest_cleaning{20};

/// Tells the agents what to do: turns the scheduler's actions into orders, and remembers which workers have which.
class Orders {
  public:
    /// `sweep` is the one that asks for the actions, as it is after them. All must outlive the orders.
    Orders(const SweepFile& file, const SweepDirectory& directory, const Sweep& sweep, Transport& transport);

    Groups& groups() { return groups_; }
    const SlotMap& slots() const { return slots_; }

    void carry_out(const std::vector<Action>& actions);

    /// From now on no trial is started or resumed: the next session does it.
    void start_no_more() { starts_no_more_ = true; }

    /// Answers a report of the trial, unless one of the actions that it led to does.
    void answer(TrialId trial, const std::vector<Action>& actions);
    void go_on(TrialId trial);

    /// Answers the workers of a group that meet. Who has left its trial, or was lost, gets no answer.
    void answer(const StoreRequest& request);

    /// The members of the trial's group meet anew, with what they have in memory.
    void form_again(TrialId trial) { join(trial, sweep_.trial(trial).group, protocol::StateSource::memory); }

    /// All workers of the trial leave it; with `save`, they write its checkpoint first.
    void dismiss(TrialId trial, bool save);

    /// Whether the workers that leave the trial were told to save it.
    bool is_to_save(TrialId trial) const { return to_save_.contains(trial); }

    /// All workers of all trials write their checkpoints and leave.
    void dismiss_all();

    /// Some workers have left their trials, or died: forms the groups that waited for that, and forgets how groups of
    /// whom nobody is left have met.
    void resume_held_back();

    /// These slots are lost, and the workers on them dead.
    void lose(const std::set<SlotId>& slots);
    /// A worker runs again on the slot.
    void note_back(SlotId slot) { lost_.erase(slot); }

    /// Runs the trial's checkpoint over the test data. Returns on which slot; none: all are lost.
    std::optional<SlotId> test(TrialId trial);

    /// Removes files that nothing will need again (KeptTrials) until `end`, but at least one of them. Those that a
    /// worker may still be writing, because it has not left the trial yet, have to wait. Returns whether there are
    /// others left.
    bool clean_up(std::chrono::steady_clock::time_point end);

  private:
    void carry_out(const StartTrial& action);
    void carry_out(const ResumeTrial& action);
    void carry_out(const Regroup& action);
    void carry_out(const PauseTrial& action);
    void carry_out(const StopTrial& action);
    void carry_out(const DropCheckpoint& action);
    void carry_out(const FinishSweep&) {}

    /// Whether the trial has workers, or somebody is leaving it.
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
    std::set<TrialId> to_save_;   ///< trials whose workers were last told to save as they leave
    std::set<TrialId> obsolete_;  ///< trials whose files may go, and have not been removed yet
    bool starts_no_more_ = false;
};

}  // namespace crescendo::launch
