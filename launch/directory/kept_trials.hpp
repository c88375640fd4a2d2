#pragma once

#include <optional>
#include <set>
#include <utility>

#include "launch/directory/waste.hpp"
#include "launch/sweep_file/sections/keep.hpp"
#include "scheduler/sweep/sweep.hpp"

namespace crescendo::launch {

/// Decides which trials' files may be removed: those of trials that have ended and are not among the best that ended.
///
/// The decision depends only on what has happened, so equal trials give equal answers after a crash. The files of a
/// trial that runs, waits, or is paused or held stay, because it may continue. Those of a failed trial stay, because it
/// may be retried. Trials that have ended stay ended, so files that may be removed once may always be removed.
class KeptTrials {
  public:
    KeptTrials(Keep keep, bool has_warm_trainers) : keep_(keep), has_warm_trainers_(has_warm_trainers) {}

    /// Takes all trials of a sweep in their present state. Returns those whose files may be removed. Call it once, and
    /// first. With repetitions, the files of all repetitions of a configuration stay until the last has ended, and
    /// those of the best configuration stay.
    std::set<TrialId> note_all(const Sweep& sweep);

    /// Takes a trial that has ended without failing and can no longer be the best (DropCheckpoint). Call it once per
    /// trial. Returns the trial whose files may be removed as a result: this trial, one that was among the best until
    /// now, or none.
    std::optional<TrialId> note_beaten(const Trial& trial);

    /// The files that may be removed from a trial that note_all() or note_beaten() returned.
    Waste waste_of(const Trial& trial) const;

  private:
    Keep keep_;
    bool has_warm_trainers_;
    std::set<std::pair<double, TrialId>> runners_up_;  ///< by loss: the best trials after the first, whose files stay
};

/// What clean_up() removed.
struct Cleaned : Removed {
    int num_trials = 0;  ///< trials from which something was removed
};

/// Removes at once all files that may be removed from a sweep on which no process works.
Cleaned clean_up(KeptTrials kept, const Sweep& sweep, const SweepDirectory& directory,
                 Removal removal = Removal::perform);

}  // namespace crescendo::launch
