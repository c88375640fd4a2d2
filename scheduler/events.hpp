#pragma once

#include <variant>
#include <vector>

#include "core/ids.hpp"

namespace crescendo {

/// One place to run a worker, and where it is.
struct Slot {
    SlotId id;
    NodeId node;
};

enum class FailureKind { crash, error, out_of_memory };

/// Slots became available. The first such event fixes the default of `max_workers`.
struct SlotsJoined {
    std::vector<Slot> slots;
};

/// Slots are gone, with the workers on them. A trial that had one waits to be resumed.
/// A resumed sweep begins with the loss of all the slots it had.
struct SlotsLost {
    std::vector<SlotId> slots;
};

/// The trial's metric, as a loss, after it consumed `resource` in total.
struct TrialReported {
    TrialId trial;
    Resource resource;
    double loss;
};

/// The trial's program ended of its own accord and has nothing more to train.
struct TrialFinished {
    TrialId trial;
};

/// A worker of the trial died or gave up. The trial is retried from its checkpoint, a bounded number of times.
struct TrialFailed {
    TrialId trial;
    FailureKind kind;
};

/// Soon all slots will be lost, sooner than a trial that starts now could reach a checkpoint. From now on nobody starts,
/// resumes or grows, and a trial that reports gives way and waits, until slots join after all of them were lost.
struct DeadlineNear {};

/// The wall-time budget of the sweep is spent.
struct TimeUp {};

/// The user wants no more of this sweep: it ends for good with what it has.
struct Cancelled {};

using Event = std::variant<SlotsJoined, SlotsLost, TrialReported, TrialFinished, TrialFailed, DeadlineNear, TimeUp, Cancelled>;

}  // namespace crescendo
