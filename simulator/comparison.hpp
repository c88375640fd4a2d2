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
    Estimate speedup;   ///< makespan of the first policy over that of this one, seed by seed
    Estimate utilization;
    Estimate slot_hours;  ///< slot-hours that trials held
    Estimate regroups;
    Estimate new_groups;
    std::optional<Estimate> best_loss;           ///< loss of the sweep's best trial at its last report
    std::optional<Estimate> loss_at_equal_time;  ///< best loss reported when the fastest policy was done
    /// Time of the first policy to its own best loss over that of this one to the same loss: the median over the seeds.
    /// A seed that never reports such a loss takes for ever. So it is 0 where half of them never do, and absent if the
    /// first policy has reported nothing for a seed.
    std::optional<double> speedup_to_quality;
    double reaches_quality = 0;  ///< share of the seeds that report such a loss
};

/// Compares `policies` in their order. All have the same number of runs, at least one. Losses are present if each run
/// has one.
std::vector<Comparison> compare(const std::vector<PolicyRuns>& policies);

}  // namespace crescendo::simulator
