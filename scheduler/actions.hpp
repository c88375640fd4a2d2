#pragma once

#include <optional>
#include <variant>
#include <vector>

#include "core/ids.hpp"

namespace crescendo {

/// Workers of a trial from now on, in rank order. Slots that were in the group before come
/// first, and the first of them is never given back, so that rank 0 holds the trial's state as long as anybody does.
struct Group {
    std::vector<SlotId> slots;
    int generation = 0;      ///< counts a trial's groups from 0; grows with every new group
    int batch_multiple = 1;  ///< the group's batch is the trainer's batch_size times this
    int accumulation = 1;    ///< 1, 2, 4, …: workers take this many times as many, smaller micro-batches for a step
};

enum class StopReason {
    judged,     ///< lost at a rung
    completed,  ///< consumed the maximum resource
    swept,      ///< the sweep ended (target met, time up, cancelled)
    failed,     ///< used up its retries, and has workers left
};

enum class FinishReason { all_trials_done, target_reached, time_up, cancelled };

/// Trains a new trial, from scratch.
struct StartTrial {
    TrialId trial;
    Group group;
};

/// Trains a trial on from its checkpoint, or from scratch where it has none.
struct ResumeTrial {
    TrialId trial;
    Group group;
};

/// The running trial goes on in memory with these workers.
struct Regroup {
    TrialId trial;
    Group group;
};

/// The running trial leaves its slots, which are free at once. Its checkpoint of this report is kept.
struct PauseTrial {
    TrialId trial;
};

/// Ends a running trial. Its slots are free at once.
struct StopTrial {
    TrialId trial;
    StopReason reason;
};

/// Nothing will need the trial's checkpoint again.
struct DropCheckpoint {
    TrialId trial;
};

/// Always the last action of a sweep.
struct FinishSweep {
    FinishReason reason;
    std::optional<TrialId> best;  ///< among the trials that ended without failing, with a finite loss
};

using Action = std::variant<StartTrial, ResumeTrial, Regroup, PauseTrial, StopTrial, DropCheckpoint, FinishSweep>;

}  // namespace crescendo
