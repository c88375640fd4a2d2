#pragma once

#include <optional>
#include <variant>
#include <vector>

#include "core/ids.hpp"
#include "core/value.hpp"
#include "scheduler/limits.hpp"

namespace crescendo {

/// One place to run a worker, and where it is.
struct Slot {
    SlotId id;
    NodeId node;
};

enum class FailureKind {
    crash,           ///< it ended without a word, or was killed
    error,           ///< it said what was wrong, and gave up
    repeated_error,  ///< the same as at the failure before: another attempt would end so too
    out_of_memory,
};

/// Slots became available. The first such event fixes the default of `max_workers`.
struct SlotsJoined {
    std::vector<Slot> slots;
};

/// Slots are gone, with the workers on them. A trial goes on with those it has left, and waits to be resumed where
/// there are none. It is no failure of its own. A resumed sweep begins with the loss of all the slots it had.
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

/// The worker on `slot` died or gave up, or the whole group where no slot is named. The trial goes on in memory with
/// those it has left, or is retried from its checkpoint; both a bounded number of times. The slot stays.
struct TrialFailed {
    TrialId trial;
    FailureKind kind;
    std::optional<SlotId> slot{};
};

/// Soon all slots will be lost, sooner than a trial that starts now could reach a checkpoint. From now on nobody
/// starts, resumes or grows, and a trial that reports gives way and waits, until slots join after all of them were
/// lost.
struct DeadlineNear {};

/// The wall-time budget of the sweep is spent.
struct TimeUp {};

/// The user wants no more of this sweep: it ends for good with what it has.
struct Cancelled {};

/// The configuration of a trial. One that has still to start will have it instead of a random one; for one that has
/// started it is what the trial was started with, whatever the seed would give now. A trial's first proposal counts.
struct TrialProposed {
    TrialId trial;
    Config config;  ///< every parameter of the sweep once, in any order
};

/// These limits hold from now on. A sweep that has ended is open again where they leave a trial to start; trials that
/// ended stay as they are. A cap below the number of trials that have started starts no more.
struct LimitsChanged {
    Limits limits;
    bool has_time_left = true;  ///< false: TimeUp would follow at once, so that an ended sweep stays as it is
};

/// A trial that failed is tried again, from its checkpoint or from scratch, and its failures are counted anew. It opens
/// a sweep again that has ended.
struct TrialRetried {
    TrialId trial;
};

using Event = std::variant<SlotsJoined, SlotsLost, TrialReported, TrialFinished, TrialFailed, DeadlineNear, TimeUp,
                           Cancelled, TrialProposed, LimitsChanged, TrialRetried>;

}  // namespace crescendo
