#pragma once

#include <cstdint>
#include <optional>

#include "core/ids.hpp"
#include "core/value.hpp"
#include "scheduler/actions.hpp"
#include "scheduler/events.hpp"

namespace crescendo {

enum class TrialStatus : std::uint8_t {
    running,
    waiting,   ///< to be resumed from its checkpoint when slots are free
    paused,    ///< waits at a rung, with its checkpoint, until it is promoted
    held,      ///< its user holds it; it waits, with its checkpoint, until the user releases it
    stopped,   ///< lost at a rung, or the sweep or the user ended it first
    finished,  ///< consumed the maximum resource, met its own end (TrialEnd), or its program ended
    failed,    ///< used up its retries
};

const char* to_string(TrialStatus status);

/// The status of a trial that has ended for this reason.
TrialStatus status_after(StopReason reason);

/// One configuration, and how far its training has come. Small members are next to each other to save memory: a sweep
/// may have a million trials.
struct Trial {
    TrialId id;
    TrialStatus status = TrialStatus::running;
    bool wants_workers = true;         ///< whether more workers would be worth it
    bool is_reforming = false;         ///< it lost a worker and has not reported since then
    bool is_proposed = false;          ///< whether an event gave the configuration, not only the seed
    Config config;
    Group group;                       ///< has no slots unless the trial is running
    int target_workers = 1;            ///< number of workers that its last rung entitles it to
    int bracket = 0;                   ///< which ladder of rungs it climbs
    int rungs_survived = 0;
    int failures = 0;                  ///< all failures of the trial
    int failures_in_a_row = 0;         ///< failures since its last new report
    bool is_held = false;              ///< its user holds it: it gets no slots, and gives back the ones it has
    Origin origin = Origin::random;    ///< who chose the configuration
    std::optional<StopReason> reason;  ///< why the trial ended; none while it has not
    Resource resource{0};              ///< resource of the last report; 0 before the first
    Resource attempted{0};             ///< resource of the last report since it started or was resumed; 0 before
    std::optional<double> loss;        ///< loss of the last report; +infinity if it was not finite
    std::optional<double> seconds;     ///< training clock of the last report; none if the report had none

    bool ended() const;

    /// Whether it has not failed, and its last loss is finite.
    bool may_be_best() const;

    /// Changes the status to `next`. Legal transitions: running <-> waiting, running <-> paused, held <-> waiting,
    /// from running and paused to held, and from all of them to an end. A trial that stops running is no longer
    /// re-forming, and a trial that ends is no longer held.
    void transition(TrialStatus next);

    /// Counts a failure, unless the group is re-forming. One cause often hits several members in the same step, so all
    /// failures count as one until the trial reports again or has no worker left. Running out of memory doubles the
    /// group's accumulation. Returns whether the trial is worth another attempt.
    bool count_failure(FailureKind kind, int max_retries);

    /// Makes a failed trial wait to be resumed, and resets its count of failures in a row.
    void retry();
};

}  // namespace crescendo
