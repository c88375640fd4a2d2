#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "core/ids.hpp"
#include "scheduler/search_space.hpp"

namespace crescendo {

enum class Goal { minimize, maximize };
enum class SchedulerKind { fifo, asha, rasda };
enum class Rule { rank, percentile };
enum class BatchPolicy { ladder, per_worker, global };

/// `scheduler:` of the sweep file. The words and defaults are those of docs/architecture.md.
struct SchedulerSpec {
    SchedulerKind kind = SchedulerKind::rasda;
    Resource min{1};
    Resource max{1};
    int reduction_factor = 3;  ///< eta: a rung keeps about 1/eta of its trials
    Rule rule = Rule::rank;
    int workers = 1;                    ///< of a trial when it starts
    std::optional<int> scaling_factor;  ///< reduction_factor unless given
    std::optional<int> max_workers;     ///< the slots there are when the sweep begins, unless given
    BatchPolicy batch = BatchPolicy::ladder;

    int scaling() const { return scaling_factor.value_or(reduction_factor); }
};

/// What a sweep searches and when it ends, without its trainer and its data.
struct SweepSpec {
    std::string metric;
    Goal goal = Goal::minimize;
    std::optional<int> run_cap;    ///< number of trials
    std::optional<double> target;  ///< a report of the metric at least this good ends the sweep
    bool has_time_budget = false;  ///< the launcher will send TimeUp
    int max_retries = 2;           ///< of a failed trial, before it counts as failed
    std::uint64_t seed = 0;
    SearchSpace space;
    SchedulerSpec scheduler;
};

/// Throws InvalidInput, naming the key, where values contradict each other or mean nothing.
void validate(const SweepSpec& spec);

/// A metric as a loss: smaller is better, and NaN or infinity is the worst (+infinity).
double to_loss(Goal goal, double metric);

/// The inverse, for display. A loss of +infinity has no metric and gives NaN.
double from_loss(Goal goal, double loss);

}  // namespace crescendo
