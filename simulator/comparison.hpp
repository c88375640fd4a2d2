#pragma once

#include <optional>
#include <string>
#include <vector>

#include "simulator/statistics.hpp"
#include "simulator/summary.hpp"

namespace crescendo::simulator {

/// One way to schedule, simulated once for each seed.
struct PolicyRuns {
    std::string name;
    std::vector<Summary> runs;  ///< in the order of the seeds, the same for all policies
};

/// What one policy came to over the seeds, beside the others.
struct Comparison {
    std::string name;
    Estimate makespan;  ///< seconds
    Estimate speedup;   ///< of the makespan, over the first policy with the same seed
    Estimate utilization;
    Estimate slot_hours;  ///< used
    Estimate regroups;
    std::optional<Estimate> best_loss;           ///< of the sweep's best trial, at its last report
    std::optional<Estimate> loss_at_equal_time;  ///< best reported by the time that the fastest policy was done
};

/// None of `policies` is without runs, and all have as many. Losses are there if each run has one.
std::vector<Comparison> compare(const std::vector<PolicyRuns>& policies);

}  // namespace crescendo::simulator
