#pragma once

#include <map>
#include <set>
#include <vector>

#include "core/ids.hpp"
#include "scheduler/events.hpp"

namespace crescendo::launch {

/// Tells bad slots (a GPU that is broken, a node without its data) from bad trials.
///
/// A slot is in doubt from the first failure of a worker there until a trial with a worker there makes progress; what
/// its neighbours do clears nothing. It is bad once so many trials have failed in a row that trials as bad as all
/// others would hardly do that anywhere in the sweep, and some other slot is in no doubt. A node all of whose slots are
/// in doubt is judged as a whole. The last slot in use is never bad.
class SlotHealth {
  public:
    explicit SlotHealth(const std::vector<Slot>& slots);

    /// How the trials of the sweep have fared, wherever they ran.
    struct Record {
        int num_reported = 0;  ///< trials that have reported something
        int num_failed = 0;    ///< trials that have failed, once or for good
    };

    /// A worker of the trial failed there; `record` has it. Returns the slots that are to be used no more, and are not
    /// in use from now on.
    std::set<SlotId> note_failure(SlotId slot, TrialId trial, const Record& record);

    /// A trial with workers there has reported something new.
    void note_progress(const std::vector<SlotId>& slots);

    /// Whether a progress would change anything.
    bool has_doubts() const { return !doubts_.empty(); }

    void note_lost(const std::set<SlotId>& slots);
    void note_joined(SlotId slot, NodeId node) { in_use_[slot] = node; }

  private:
    std::set<SlotId> slots_of(NodeId node) const;
    bool are_bad(const std::set<SlotId>& slots, const Record& record) const;

    std::map<SlotId, NodeId> in_use_;
    std::map<SlotId, std::set<TrialId>> doubts_;  ///< the trials that failed there in a row
};

}  // namespace crescendo::launch
