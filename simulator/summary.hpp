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

/// Slots in use from a time on.
struct SlotUse {
    double seconds;
    int slots;
};

/// What a simulated sweep came to. Times count from its beginning.
struct Summary {
    FinishReason reason = FinishReason::all_trials_done;
    double makespan = 0;  ///< seconds until all is done
    int slots = 0;
    double slot_seconds_used = 0;   ///< slots times the seconds that trials held them
    std::int64_t num_trials = 0;    ///< that were started
    std::int64_t num_complete = 0;  ///< that reached the maximum resource
    std::int64_t num_failed = 0;    ///< that used up their retries
    std::int64_t num_reports = 0;
    std::int64_t num_regroups = 0;
    std::int64_t num_resumptions = 0;  ///< of paused and of retried trials
    std::optional<TrialId> best;       ///< by its last report, as the sweep says
    std::optional<double> best_loss;
    std::vector<BestSoFar> best_over_time;  ///< improvements
    std::vector<SlotUse> slot_use;          ///< changes

    double slot_seconds() const { return slots * makespan; }

    /// Share of the slots' time that trials held them; 0 where no time passed.
    double utilization() const;

    /// The best loss reported in the first `seconds`.
    std::optional<double> best_by(double seconds) const;
};

}  // namespace crescendo::simulator
