#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/ids.hpp"
#include "scheduler/actions.hpp"

namespace crescendo::simulator {

/// The best loss that any trial had reported by a time.
struct BestSoFar {
    double seconds;
    double loss;
    TrialId trial;
    Resource resource;
};

/// Number of slots in use from a given time on.
struct SlotUse {
    double seconds;
    int slots;
};

/// A trial's report, and the workers that trained for it.
struct SeenReport {
    double seconds;
    TrialId trial;
    Resource resource;
    double loss;
    int workers;
};

/// Results of a simulated sweep. Times count from its beginning.
struct Summary {
    FinishReason reason = FinishReason::all_trials_done;
    double makespan = 0;  ///< seconds until the sweep is over
    int slots = 0;
    double slot_seconds_used = 0;   ///< slots times the seconds that trials held them
    std::int64_t num_trials = 0;    ///< number of trials that were started
    std::int64_t num_complete = 0;  ///< number of trials that reached the maximum resource or their own end
    std::int64_t num_failed = 0;    ///< number of trials that used up their retries
    std::int64_t num_reports = 0;
    std::int64_t num_regroups = 0;
    std::int64_t num_new_groups = 0;   ///< number of regroups to a set of slots that was never a group in this sweep
    std::int64_t num_resumptions = 0;  ///< number of resumptions, of paused and of retried trials
    std::optional<TrialId> best;       ///< the sweep's best trial, by its last report
    std::optional<double> best_loss;
    std::vector<BestSoFar> best_over_time;  ///< each improvement, in the order of time
    std::vector<SlotUse> slot_use;          ///< each change, in the order of time

    double slot_seconds() const { return slots * makespan; }

    /// Share of the slots' time during which trials held them; 0 if no time passed.
    double utilization() const;

    /// The best loss reported in the first `seconds` of the sweep.
    std::optional<double> best_by(double seconds) const;

    /// Seconds until a loss of at most `loss` was reported; nothing if none was.
    std::optional<double> seconds_to(double loss) const;
};

}  // namespace crescendo::simulator
