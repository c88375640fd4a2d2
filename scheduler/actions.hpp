#pragma once

#include <cstdint>
#include <optional>
#include <variant>
#include <vector>

#include "core/group_batch.hpp"
#include "core/ids.hpp"
#include "core/words.hpp"

namespace crescendo {

/// The workers of a trial from now on, in rank order. Slots kept from the previous group come first. The first of them
/// is never given back, so rank 0 holds the trial's state as long as any worker does.
struct Group {
    std::vector<SlotId> slots;
    int generation = 0;  ///< counts a trial's groups from 0; increases with every new group
    GroupBatch batch;
};

enum class StopReason : std::uint8_t {
    judged,     ///< the trial lost at a rung
    completed,  ///< the trial consumed the maximum resource, or its program ended
    reached,    ///< the trial met its own target, or used up its training time (TrialEnd)
    requested,  ///< the user stopped this trial
    swept,      ///< the sweep ended (target met, time up, no progress, cancelled)
    failed,     ///< the trial used up its retries, and has workers left
    timed_out,  ///< the trial held slots for its maximum time (TrialTimeUp)
    no_progress,  ///< the trial's metric has not improved for too long (Patience)
};
inline constexpr Words stop_reasons{{std::pair{StopReason::judged, "judged"},
                                     {StopReason::completed, "completed"},
                                     {StopReason::reached, "reached"},
                                     {StopReason::requested, "requested"},
                                     {StopReason::swept, "swept"},
                                     {StopReason::failed, "failed"},
                                     {StopReason::timed_out, "timed_out"},
                                     {StopReason::no_progress, "no_progress"}}};

enum class FinishReason { all_trials_done, target_reached, time_up, cancelled, no_progress };
inline constexpr Words finish_reasons{{std::pair{FinishReason::all_trials_done, "all_trials_done"},
                                       {FinishReason::target_reached, "target_reached"},
                                       {FinishReason::time_up, "time_up"},
                                       {FinishReason::cancelled, "cancelled"},
                                       {FinishReason::no_progress, "no_progress"}}};

/// Why a sweep ended, for people.
inline constexpr Words finish_reason_texts{
    {std::pair{FinishReason::all_trials_done, "all trials are done"},
     {FinishReason::target_reached, "the target is reached"},
     {FinishReason::time_up, "the time budget is used up"},
     {FinishReason::cancelled, "it was cancelled"},
     {FinishReason::no_progress, "no trial improved for too long (patience.trials)"}}};

/// Trains a new trial, from scratch.
struct StartTrial {
    TrialId trial;
    Group group;
};

/// Continues training a trial from its checkpoint, or from scratch if it has no checkpoint.
struct ResumeTrial {
    TrialId trial;
    Group group;
};

/// The running trial continues in memory with these workers.
struct Regroup {
    TrialId trial;
    Group group;
};

/// The running trial leaves its slots, which are free at once. The checkpoint of the report that it has just sent is
/// kept. A trial that its user holds (TrialHeld) first writes a checkpoint.
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

/// The sweep is over. This is always its last action.
struct FinishSweep {
    FinishReason reason;
    std::optional<TrialId> best;  ///< best trial among those that ended without failing and have a finite loss
};

using Action = std::variant<StartTrial, ResumeTrial, Regroup, PauseTrial, StopTrial, DropCheckpoint, FinishSweep>;

}  // namespace crescendo
