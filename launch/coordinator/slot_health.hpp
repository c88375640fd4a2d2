#pragma once

#include <functional>
#include <map>
#include <set>
#include <vector>

#include "core/ids.hpp"
#include "scheduler/events.hpp"

namespace crescendo::launch {

/// Distinguishes bad slots (a broken GPU, a node without its data) from bad trials.
///
/// A slot is in doubt from the first failure of a worker on it until a trial with a worker on it makes progress.
/// Progress on neighbouring slots does not count. A slot is bad if more trials failed on it in a row than the failure
/// rate of all other trials makes plausible, and if some other slot is not in doubt. If all slots of a node are in
/// doubt, the node is judged as a whole. The last slot in use is never bad.
///
/// A trial that also failed elsewhere does not count: it is retried on other slots, and would put each of them in
/// doubt.
///
/// One trial can end all trials on slots that share a GPU (a faulting client of NVIDIA's MPS takes the others with it).
/// So the failures on these slots never add up: only the longest row on one of them counts. If all of them are in doubt
/// when one is found bad, all of them are bad, because the GPU is.
class SlotHealth {
  public:
    explicit SlotHealth(const std::vector<Slot>& slots);

    /// Numbers of the sweep's trials that reported and failed, on any slot.
    struct Record {
        int num_reported = 0;  ///< trials that have reported something
        int num_failed = 0;    ///< trials that have failed, once or for good
    };

    /// Notes that a worker of the trial failed on `slot`. `count` returns numbers that already include this failure; it
    /// is called only if the slot is suspicious. Returns the slots that must not be used any more, which no longer
    /// count as in use.
    std::set<SlotId> note_failure(SlotId slot, TrialId trial, const std::function<Record()>& count);

    /// Notes that a trial with workers on these slots has reported something new.
    void note_progress(const std::vector<SlotId>& slots);

    /// Whether note_progress() could change anything.
    bool has_doubts() const { return !doubts_.empty(); }

    void note_lost(const std::set<SlotId>& slots);
    void note_joined(const Slot& slot) { in_use_.insert_or_assign(slot.id, slot); }

  private:
    std::set<SlotId> in_use_where(const std::function<bool(const Slot&)>& is_meant) const;
    std::set<TrialId> row_on(const std::set<SlotId>& slots) const;
    std::set<TrialId> failed_only_on(const std::set<SlotId>& slots, const std::set<TrialId>& trials) const;
    bool are_bad(const std::set<SlotId>& slots, const std::function<Record()>& count) const;

    std::map<SlotId, Slot> in_use_;
    std::map<SlotId, std::set<TrialId>> doubts_;     ///< for each slot in doubt, the trials that failed there in a row
    std::map<TrialId, std::set<SlotId>> failed_on_;  ///< for each trial, the slots in use on which it ever failed
};

}  // namespace crescendo::launch
