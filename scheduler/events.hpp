#pragma once

#include <optional>
#include <variant>
#include <vector>

#include "core/ids.hpp"
#include "core/value.hpp"
#include "core/words.hpp"
#include "scheduler/limits.hpp"
#include "scheduler/origin.hpp"

namespace crescendo {

/// One place to run a worker, and where it is.
struct Slot {
    SlotId id;
    NodeId node;
    std::optional<int> gpu = {};  ///< number of its GPU on the node if slots share GPUs; none: its GPU is not shared
};

enum class FailureKind {
    crash,           ///< the worker ended without an error message, or was killed
    error,           ///< the worker reported what was wrong, and gave up
    repeated_error,  ///< the same error as at the previous failure: another attempt would fail the same way
    out_of_memory,
};

/// Slots became available. Their ids count from 0. The first such event fixes the default of `max_workers`.
struct SlotsJoined {
    std::vector<Slot> slots;
};

/// Slots are gone, with the workers on them. A trial continues with the workers that it has left; if it has none, it
/// waits to be resumed. This does not count as the trial's failure. A resumed sweep begins with the loss of all slots
/// that it had.
struct SlotsLost {
    std::vector<SlotId> slots;
};

/// The optimizer steps of a trial since its previous report. A trainer leaves out what it does not measure.
struct Steps {
    std::optional<double> seconds{};      ///< mean seconds of a step, > 0
    std::optional<double> batch{};        ///< samples in a step of the whole group, >= 1
    std::optional<double> noise_scale{};  ///< gradient noise scale in samples, >= 0

    friend bool operator==(const Steps&, const Steps&) = default;
};

/// The trial's metric, as a loss, after it consumed `resource` in total.
struct TrialReported {
    TrialId trial;
    Resource resource;
    double loss;
    std::optional<double> seconds{};  ///< the trial's training clock; none: not measured
    Steps steps{};
};

/// A trial that has not reported yet has trained its first steps. If slots are idle, it may grow before its first rung.
/// A launcher omits this event if step times are not measured, or if groups cannot change between reports.
struct TrialTimed {
    TrialId trial;
    int generation = 0;  ///< generation of the group that trained the steps; an older one changes nothing
    Steps steps{};       ///< without `seconds` and `batch`, the event changes nothing
    std::optional<double> samples_per_resource{};  ///< samples in a unit of the resource, > 0; none: unknown
};

/// The trial trains with its new group. A launcher omits this event if the interruption is not measured.
struct TrialRegrouped {
    TrialId trial;
    int generation = 0;  ///< generation of the new group; an older one changes nothing
    double seconds = 0;  ///< how long the trial stood still, up to the end of its first step; >= 0
    std::optional<double> step_seconds{};  ///< mean seconds of its next few steps, > 0; none: not measured
};

/// The trial's program ended by itself and has nothing more to train.
struct TrialFinished {
    TrialId trial;
};

/// The worker on `slot` died or gave up, or the whole group if no slot is given. The trial continues in memory with the
/// workers that it has left, or is retried from its checkpoint. Both happen a bounded number of times. The slot can
/// still be used.
///
/// If one of the trial's slots may have caused the failure, `suspect` names it. Then the trial is retried on other
/// slots if possible. Older journals have no suspects.
struct TrialFailed {
    TrialId trial;
    FailureKind kind;
    std::optional<SlotId> slot{};
    std::optional<SlotId> suspect{};
};

/// All slots will be lost soon, before a trial that starts now could reach a checkpoint. From now on no trial starts,
/// resumes or grows, and each trial leaves its slots at its next report and waits. This lasts until all slots have been
/// lost and new ones join.
struct DeadlineNear {};

/// The wall-time budget of the sweep is used up.
struct TimeUp {};

/// The user cancels the sweep: it ends for good with the results that it has.
struct Cancelled {};

/// The configuration of a trial. A trial that has not started will get it instead of one from the sampler. For a trial
/// that has started, it is the configuration that the trial started with, whatever the seed would give now. Only the
/// first proposal for a trial counts.
struct TrialProposed {
    TrialId trial;
    Config config;  ///< has every parameter of the sweep once, in any order
    std::optional<Origin> origin{};  ///< none: the sampler for a trial that has started, else the user
};

/// There will be no more proposals: from now on, only trials that already have one start. LimitsChanged lets the
/// sampler propose again.
struct ProposalsEnded {};

/// These limits hold from now on. An ended sweep reopens if they allow another trial to start. Trials that ended stay
/// as they are. With a cap below the number of started trials, no more start.
struct LimitsChanged {
    Limits limits;
    bool has_time_left = true;  ///< false: TimeUp would follow at once, so an ended sweep stays as it is
};

/// A failed trial is retried, from its checkpoint or from scratch, and its failures are counted from 0 again. This
/// reopens an ended sweep.
struct TrialRetried {
    TrialId trial;
};

/// The user ends one trial. What it reported counts at the rungs that it reached, and no rung waits for it.
struct TrialStopped {
    TrialId trial;
};

/// When a running trial that is held gives its slots back.
enum class HoldAt {
    once,    ///< now: it can write a checkpoint at any moment
    report,  ///< at its next report: it has checkpoints only there
};
inline constexpr Words hold_moments{{std::pair{HoldAt::once, "once"}, {HoldAt::report, "report"}}};

/// The user holds one trial: it gets no slots until it is released, and the others continue without it. Holding a trial
/// that has ended or is already held changes nothing.
struct TrialHeld {
    TrialId trial;
    HoldAt at = HoldAt::once;
};

/// The user releases a held trial: it waits for slots as others do. Releasing a trial that is not held changes nothing.
struct TrialReleased {
    TrialId trial;
};

/// The trial has held slots for its maximum time (`trial_time`), over all sessions. It ends as if its user had stopped
/// it, but alone: other repetitions of its configuration continue.
struct TrialTimeUp {
    TrialId trial;
};

using Event = std::variant<SlotsJoined, SlotsLost, TrialReported, TrialTimed, TrialRegrouped, TrialFinished,
                           TrialFailed, DeadlineNear, TimeUp, Cancelled, TrialProposed, LimitsChanged, TrialRetried,
                           ProposalsEnded, TrialStopped, TrialHeld, TrialReleased, TrialTimeUp>;

}  // namespace crescendo
