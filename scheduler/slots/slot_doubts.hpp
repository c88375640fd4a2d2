#pragma once

#include <map>
#include <set>
#include <vector>

#include "core/ids.hpp"
#include "scheduler/slots/slot_pool.hpp"

namespace crescendo {

/// The slots that may be to blame for the failures of a trial. The lists are sorted, and name only slots that the sweep
/// has now.
struct Suspects {
    std::set<SlotId> failed;       ///< where the trial failed; not empty
    bool is_last_attempt = false;  ///< one more failure and the trial has failed for good
    std::vector<SlotId> on_gpus;   ///< those in `failed`, and all others on the same GPUs
    std::vector<SlotId> on_nodes;  ///< all slots of the nodes where the trial failed
};

/// For each trial that failed, the slots that may be to blame, so that it is retried elsewhere.
///
/// A slot is in doubt for a trial that failed there, until a trial with a worker there reports or the slot is lost.
/// Failures of other trials there do not count: the launcher judges which slots are bad.
///
/// Noting a failure takes O(n) in the number of slots, which is fine because failures are rare.
class SlotDoubts {
  public:
    /// The worker of `trial` on `slot` failed. The slot must be in the pool.
    void note_failure(TrialId trial, SlotId slot, bool is_last_attempt, const SlotPool& pool);

    /// A trial with workers on these slots has reported something new.
    void note_progress(TrialId trial, const std::vector<SlotId>& slots, const SlotPool& pool);

    /// Slots have joined or were lost.
    void note_change(const SlotPool& pool);

    /// The trial has ended.
    void forget(TrialId trial) { suspects_.erase(trial); }

    bool any() const { return !suspects_.empty(); }

    /// Null if no slot is in doubt for the trial.
    const Suspects* of(TrialId trial) const;

    /// Whether the trial has already failed where `slot` is, so that another failure there would not tell whether the
    /// trial or the place is to blame. The place is the slot's node if there are others, else its GPU or the slot
    /// itself, if there are others.
    bool doubts(TrialId trial, SlotId slot, const SlotPool& pool) const;

  private:
    std::map<TrialId, Suspects> suspects_;
};

}  // namespace crescendo
