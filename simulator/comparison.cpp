#include "simulator/comparison.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/check.hpp"
#include "core/median.hpp"

namespace crescendo::simulator {
namespace {

/// An estimate of `value_of(run, index of its seed)` over the runs; none if it returns nothing for a run.
template <class ValueOf>
std::optional<Estimate> estimate_of(const std::vector<Summary>& runs, ValueOf value_of) {
    std::vector<double> values;
    for (std::size_t seed = 0; seed < runs.size(); ++seed) {
        const std::optional<double> value = value_of(runs[seed], seed);
        if (!value) {
            return {};
        }
        values.push_back(*value);
    }
    return estimate(values);
}

Estimate speedup_over(const std::vector<Summary>& reference, const std::vector<Summary>& runs) {
    std::vector<double> ratios;
    for (std::size_t seed = 0; seed < runs.size(); ++seed) {
        ratios.push_back(reference[seed].makespan / runs[seed].makespan);
    }
    return estimate_ratio(ratios);
}

/// Seed by seed, the time to the best loss of the reference, divided by the time that the reference took; infinity for
/// a seed that never reports such a loss. Empty if the reference has reported nothing for a seed.
std::vector<double> relative_times_to_quality(const std::vector<Summary>& reference, const std::vector<Summary>& runs) {
    std::vector<double> times;
    for (std::size_t seed = 0; seed < runs.size(); ++seed) {
        const auto& best = reference[seed].best_over_time;
        if (best.empty()) {
            return {};
        }
        const auto seconds = runs[seed].seconds_to(best.back().loss);
        times.push_back(seconds ? *seconds / best.back().seconds : std::numeric_limits<double>::infinity());
    }
    return times;
}

/// For each seed, the shortest makespan of all policies.
std::vector<double> shortest_makespans(const std::vector<PolicyRuns>& policies) {
    std::vector<double> shortest;
    for (std::size_t seed = 0; seed < policies.front().runs.size(); ++seed) {
        double least = policies.front().runs[seed].makespan;
        for (const auto& policy : policies) {
            least = std::min(least, policy.runs[seed].makespan);
        }
        shortest.push_back(least);
    }
    return shortest;
}

}  // namespace

std::vector<Comparison> compare(const std::vector<PolicyRuns>& policies) {
    const auto shortest = shortest_makespans(policies);
    std::vector<Comparison> result;
    for (const auto& [name, runs] : policies) {
        CRESCENDO_EXPECT(!runs.empty() && runs.size() == shortest.size());
        const auto times = relative_times_to_quality(policies.front().runs, runs);
        const auto of = [&runs = runs](auto value_of) {
            return *estimate_of(runs, [&](const Summary& run, std::size_t) { return std::optional(value_of(run)); });
        };
        result.push_back(
            {name, of([](const Summary& run) { return run.makespan; }), speedup_over(policies.front().runs, runs),
             of([](const Summary& run) { return run.utilization(); }),
             of([](const Summary& run) { return run.slot_seconds_used / 3600; }),
             of([](const Summary& run) { return static_cast<double>(run.num_regroups); }),
             of([](const Summary& run) { return static_cast<double>(run.num_new_groups); }),
             estimate_of(runs, [](const Summary& run, std::size_t) { return run.best_loss; }),
             estimate_of(runs, [&](const Summary& run, std::size_t seed) { return run.best_by(shortest[seed]); }),
             times.empty() ? std::nullopt : std::optional(1 / median(times)),
             static_cast<double>(std::ranges::count_if(times, [](double time) { return std::isfinite(time); })) /
                 static_cast<double>(runs.size())});
    }
    return result;
}

}  // namespace crescendo::simulator
