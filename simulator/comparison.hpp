#pragma once

#include <optional>
#include <string>
#include <vector>

#include "simulator/statistics.hpp"
#include "simulator/summary.hpp"

namespace crescendo::simulator {

/// A scheduling policy, simulated once for each seed.
struct PolicyRuns {
    std::string name;
    std::vector<Summary> runs;  ///< in the order of the seeds; all policies have the same seeds
};

/// Results of one policy over all seeds, compared with the other policies.
struct Comparison {
    std::string name;
    Estimate makespan;  ///< mean makespan in seconds
    Estimate speedup;   ///< makespan of the first policy divided by that of this one, seed by seed
    Estimate utilization;
    Estimate slot_hours;  ///< slot-hours that trials held
    Estimate regroups;
    Estimate new_groups;
    std::optional<Estimate> best_loss;           ///< loss of the sweep's best trial at its last report
    std::optional<Estimate> loss_at_equal_time;  ///< best loss reported when the fastest policy was done
    /// The first policy's time to its own best loss, divided by this policy's time to the same loss: the median over
    /// the seeds. A seed that never reports such a loss counts as infinitely slow, so the result is 0 if half of the
    /// seeds never do. Absent if the first policy has reported nothing for a seed.
    std::optional<double> speedup_to_quality;
    double reaches_quality = 0;  ///< share of the seeds that report such a loss
};

/// Compares `policies` in their order. All must have the same number of runs, at least one. Losses are present if every
/// run has one.
std::vector<Comparison> compare(const std::vector<PolicyRuns>& policies);

}  // namespace crescendo::simulator
