#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/check.hpp"
#include "core/ids.hpp"
#include "core/words.hpp"
#include "scheduler/earlier_result.hpp"
#include "scheduler/limits.hpp"
#include "scheduler/repeat.hpp"
#include "scheduler/space/search_space.hpp"

namespace crescendo {

enum class Goal { minimize, maximize };
inline constexpr Words goals{{std::pair{Goal::minimize, "minimize"}, {Goal::maximize, "maximize"}}};

enum class SchedulerKind { fifo, asha, rasda, successive_halving, hyperband, async_hyperband, pasha, median };
inline constexpr Words scheduler_kinds{{std::pair{SchedulerKind::fifo, "fifo"},
                                        {SchedulerKind::asha, "asha"},
                                        {SchedulerKind::rasda, "rasda"},
                                        {SchedulerKind::successive_halving, "successive_halving"},
                                        {SchedulerKind::hyperband, "hyperband"},
                                        {SchedulerKind::async_hyperband, "async_hyperband"},
                                        {SchedulerKind::pasha, "pasha"},
                                        {SchedulerKind::median, "median"}}};

enum class Mode { stop, promote };
enum class Rule { rank, percentile };

/// How large the batch of a group is, in multiples of the batch that the trial began with.
enum class BatchPolicy {
    ladder,      ///< the number of workers that the trial is entitled to
    per_worker,  ///< the number of workers that the trial has
    global,      ///< one
    adaptive,    ///< doubled while that is efficient, up to the growth of the group
};

/// What a survivor does if it is entitled to more workers than there are free slots.
enum class GrowPolicy {
    eager,    ///< takes the largest size of the ladder that is free, and more at a later report
    wait,     ///< leaves its slots, and waits for all workers that it is entitled to
    partial,  ///< takes all slots that are free, and more at a later report
};

/// Which trials get free slots first.
enum class Priority {
    promotions_first,  ///< waiting trials, then the growth of running ones, then new trials
    starts_first,      ///< new trials, then waiting trials, then growth
    tail,              ///< waiting trials, then new trials, then growth
};
enum class Switch { off, on };

/// When a survivor takes the workers that it may have.
enum class GrowWhen {
    always,   ///< always: the published algorithm (RASDA, Aach et al. 2025)
    faster,   ///< if it trains more samples per second with them, or if that is unknown
    goodput,  ///< if its goodput rises enough to pay for the regroup, or if that is unknown
};

/// GrowWhen::goodput: whether a trial tries a size beyond the largest measured one that gains only if its prediction is
/// wrong.
enum class HopefulTries {
    off,
    on,
    after_gain,  ///< only if the largest measured size was faster than the one before
};

/// `scheduler:` of the sweep file. The words and defaults are those of docs/sweep-file.md.
struct SchedulerSpec {
    SchedulerKind kind = SchedulerKind::rasda;
    Resource min{1};
    Resource max{1};  ///< unlimited_resource: a trial is complete when its program ends
    int reduction_factor = 3;  ///< eta: a rung keeps about 1/eta of its trials
    Mode mode = Mode::stop;
    Rule rule = Rule::rank;
    Switch keep_diverged = Switch::off;  ///< percentile: whether trials with infinite loss survive an infinite cutoff
    std::optional<int> brackets;        ///< number of ladders; default 1, async_hyperband: one per rung
    std::optional<int> max_concurrent;  ///< most trials that run at once
    int workers = 1;                    ///< workers of a trial when it starts
    std::optional<int> scaling_factor;  ///< growth of the target at each rung; default: reduction_factor
    std::optional<int> max_workers;  ///< most workers of a trial; default: as many as it can have when the sweep begins
    BatchPolicy batch = BatchPolicy::global;
    double min_efficiency = 0.8;  ///< of a sample in an adaptive batch, relative to one in the first batch; in (0, 1]
    GrowPolicy grow = GrowPolicy::eager;
    GrowWhen grow_when = GrowWhen::always;
    Switch second_try = Switch::on;  ///< whether a size that was slower the only time it was measured is tried again
    HopefulTries hopeful_tries = HopefulTries::after_gain;
    std::optional<double> expected_regroup;  ///< seconds that a regroup in memory takes; none: programs are restarted
    Priority priority = Priority::tail;
    Switch shrink = Switch::off;    ///< whether groups give slots back to trials that wait
    std::optional<Switch> surplus;  ///< whether idle slots double the best survivors; rasda: on by default
    Switch capped_surplus = Switch::on;  ///< surplus: whether to add it while max_concurrent keeps other trials waiting
    Switch distinct_gpus = Switch::on;  ///< whether each worker of a trial has its own GPU if slots share GPUs

    /// Milestones of a ladder of rungs from min to max.
    std::vector<Resource> milestones() const;

    /// Number of ladders of rungs. Synchronous brackets do not count.
    int num_brackets() const;

    bool has_max() const { return max < unlimited_resource; }

    int scaling() const { return scaling_factor.value_or(reduction_factor); }

    /// Whether a trial that has reported the times of its first steps (TrialTimed) may grow before its first rung if
    /// slots are idle. Not if that would also grow its batch: the rung would compare trials with different batches.
    bool grows_early() const {
        return has_surplus() && grow_when == GrowWhen::goodput && batch != BatchPolicy::per_worker;
    }
    bool has_surplus() const { return kind == SchedulerKind::rasda && surplus.value_or(Switch::on) == Switch::on; }
};

/// When a trial is complete before it has consumed the maximum resource. Checked at each of its reports.
struct TrialEnd {
    std::optional<double> target{};   ///< a report of the metric at least this good
    std::optional<double> seconds{};  ///< a training clock of at least this many seconds
};

/// How long a sweep, or a trial, may train without improving.
struct Patience {
    std::optional<int> trials{};           ///< trials in a row that end without a better value; then the sweep ends
    std::optional<std::int64_t> resource{};  ///< resource that a trial consumes without a better metric; then it ends
};

/// What a sweep searches and when it ends, without its trainer and its data.
struct SweepSpec {
    std::string metric;
    Goal goal = Goal::minimize;
    std::optional<int> run_cap;    ///< number of trials, or of configurations with `repeat`
    std::optional<double> target;  ///< a report of the metric at least this good ends the sweep
    bool has_time_budget = false;  ///< the launcher will send TimeUp
    int max_retries = 2;           ///< how often a trial is retried in a row before it fails for good
    TrialEnd trial_end;
    Patience patience;
    Repeat repeat;
    std::uint64_t seed = 0;
    SearchSpace space;
    std::string sampler = "random";  ///< what proposes configurations: one of sampler_names()
    std::vector<Config> initial;     ///< configurations of the first trials; the sampler chooses missing parameters
    std::vector<EarlierResult> warm_start;  ///< what the sampler knows before the first trial
    SchedulerSpec scheduler;
};

Limits limits_of(const SweepSpec& spec);

/// `spec` with `limits` instead of its own.
SweepSpec with_limits(SweepSpec spec, const Limits& limits);

/// Values of `spec` that contradict each other or make no sense: one problem each, with its key.
std::vector<InvalidInput> problems_of(const SweepSpec& spec);

/// Throws the first of problems_of(spec), if there are any.
void validate(const SweepSpec& spec);

/// A metric as a loss: smaller is better, and NaN or infinity is the worst (+infinity).
double to_loss(Goal goal, double metric);

/// The metric of a loss, for display: the inverse of to_loss. A loss of +infinity has no metric and gives NaN.
double from_loss(Goal goal, double loss);

}  // namespace crescendo
