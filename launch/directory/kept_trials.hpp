#pragma once

#include <optional>
#include <set>
#include <utility>

#include "launch/directory/waste.hpp"
#include "launch/sweep_file/sections/keep.hpp"
#include "scheduler/sweep/sweep.hpp"

namespace crescendo::launch {

/// Decides which trials' files may go: those of trials that have ended and are not among the best that ended.
///
/// Only what has happened counts, so the same trials give the same answer after a crash. The files of a trial that
/// runs, waits, or is paused or held stay, because it may continue; those of a trial that failed stay, because it may
/// be retried. Trials that have ended stay ended, so what may go once may go for ever.
class KeptTrials {
  public:
    KeptTrials(Keep keep, bool has_warm_trainers) : keep_(keep), has_warm_trainers_(has_warm_trainers) {}

    /// Takes all trials of a sweep, as they are. Returns those whose files may go. Call it once, and first. Where
    /// trials are repetitions, the files of all repetitions stay until the last has ended, and those of the best
    /// configuration.
    std::set<TrialId> note_all(const Sweep& sweep);

    /// Takes a trial that has ended without failing and cannot be the best any more, once (DropCheckpoint). Returns the
    /// one whose files may go because of that: itself, one that was among the best until now, or none.
    std::optional<TrialId> note_beaten(const Trial& trial);

    /// What may go of a trial that note_all() or note_beaten() returned.
    Waste waste_of(const Trial& trial) const;

  private:
    Keep keep_;
    bool has_warm_trainers_;
    std::set<std::pair<double, TrialId>> runners_up_;  ///< by loss: the best after the first, whose files stay
};

/// What clean_up() removed.
struct Cleaned : Removed {
    int num_trials = 0;  ///< trials of which something was removed
};

/// Removes at once what may go of all trials of a sweep that nobody works on.
Cleaned clean_up(KeptTrials kept, const Sweep& sweep, const SweepDirectory& directory,
                 Removal removal = Removal::perform);

}  // namespace crescendo::launch
