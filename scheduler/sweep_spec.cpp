#include "scheduler/sweep_spec.hpp"

#include <cmath>
#include <limits>

#include "core/check.hpp"
#include "scheduler/ladder.hpp"
#include "scheduler/loss.hpp"

/// Adds to `problems` unless `condition` holds.
#define REQUIRE(condition, key, ...) ((condition) ? void(0) : void(problems.emplace_back(text(__VA_ARGS__), key)))

namespace crescendo {
namespace {

using Problems = std::vector<InvalidInput>;

int num_rungs(const SchedulerSpec& spec) { return static_cast<int>(spec.milestones().size()); }

void check_rungs(const SchedulerSpec& spec, Problems& problems) {
    using enum SchedulerKind;
    const bool has_asynchronous_rungs = spec.kind == asha || spec.kind == rasda || spec.kind == async_hyperband;
    REQUIRE(spec.mode == Mode::stop || has_asynchronous_rungs || spec.kind == pasha, "scheduler.mode",
            "mode is promote, which belongs to the asynchronous rungs of asha, rasda and async_hyperband; "
            "remove it, or use type: asha");
    REQUIRE(spec.rule == Rule::rank || has_asynchronous_rungs, "scheduler.rule",
            "rule is percentile, which belongs to asha, rasda and async_hyperband; remove it, or use "
            "type: asha");
    REQUIRE(spec.rule == Rule::rank || spec.mode == Mode::stop, "scheduler.rule",
            "rule is percentile and mode is promote (a percentile judges a trial when it arrives, and a "
            "promotion comes later); use rule: rank or mode: stop");
    REQUIRE(!spec.brackets || has_asynchronous_rungs, "scheduler.brackets",
            "brackets belongs to asha, rasda and async_hyperband; remove it (hyperband has one for each rung)");
    const bool has_ladder = spec.min.value >= 1 && spec.max >= spec.min && spec.reduction_factor >= 2;
    REQUIRE(!has_ladder || (spec.brackets.value_or(1) >= 1 && spec.brackets.value_or(1) <= num_rungs(spec)),
            "scheduler.brackets", "brackets is {}, but there are {} rungs to start at; use 1 to {}",
            spec.brackets.value_or(1), num_rungs(spec), num_rungs(spec));
}

void check_repeat(const SweepSpec& spec, Problems& problems) {
    using enum SchedulerKind;
    constexpr int most_times = 1000;
    const auto kind = spec.scheduler.kind;
    REQUIRE(spec.repeat.times >= 1 && spec.repeat.times <= most_times, "repeat",
            "a configuration is trained {} times (trials are its repetitions); use 1 to {}", spec.repeat.times,
            most_times);
    REQUIRE(!spec.repeat.is_on() || kind == fifo || kind == asha || kind == rasda || kind == async_hyperband, "repeat",
            "the rungs of {} rank single trials, but repeat judges configurations by all their repetitions; use type: "
            "asha, rasda, async_hyperband or fifo",
            scheduler_kinds.of(kind));
    REQUIRE(!spec.repeat.is_on() || spec.scheduler.mode == Mode::stop, "repeat",
            "mode is promote, which ranks single trials, but repeat judges configurations by all their repetitions; "
            "use mode: stop");
    REQUIRE(
        !spec.repeat.is_on() || !spec.run_cap || *spec.run_cap <= std::numeric_limits<std::int32_t>::max() / most_times,
        "run_cap", "run_cap is {} configurations, too many to repeat; use fewer", *spec.run_cap);
}

void check_slots(const SchedulerSpec& spec, Problems& problems) {
    const bool grows = spec.kind == SchedulerKind::rasda;
    REQUIRE(spec.max_concurrent.value_or(1) >= 1, "scheduler.max_concurrent",
            "max_concurrent is {} (no trial could run); use 1 or more", *spec.max_concurrent);
    REQUIRE(grows || spec.grow == GrowPolicy::eager, "scheduler.grow",
            "grow applies only to type: rasda, which gives survivors more workers; remove it");
    REQUIRE(grows || spec.grow_when == GrowWhen::always, "scheduler.grow_when",
            "grow_when applies only to type: rasda, which gives survivors more workers; remove it");
    REQUIRE(spec.grow_when == GrowWhen::always || spec.grow != GrowPolicy::wait, "scheduler.grow_when",
            "grow is wait (a trial would wait for workers that grow_when then refuses); use grow: eager or grow_when: "
            "always");
    REQUIRE(grows || spec.batch != BatchPolicy::adaptive, "scheduler.batch",
            "batch is adaptive, but only type: rasda gives survivors more workers; remove it");
    REQUIRE(spec.min_efficiency > 0 && spec.min_efficiency <= 1, "scheduler.min_efficiency",
            "min_efficiency is {} (it is a share of the efficiency of the first batch); use a number above 0, up to 1",
            spec.min_efficiency);
    REQUIRE(grows || spec.priority == Priority::tail, "scheduler.priority",
            "priority applies only to type: rasda, which gives survivors more workers; remove it");
    REQUIRE(grows || spec.shrink == Switch::off, "scheduler.shrink",
            "shrink applies only to type: rasda, whose groups grow; remove it");
    REQUIRE(grows || spec.surplus.value_or(Switch::off) == Switch::off, "scheduler.surplus",
            "surplus applies only to type: rasda, which gives survivors more workers; remove it");
    REQUIRE(spec.shrink == Switch::off || spec.grow != GrowPolicy::wait, "scheduler.shrink",
            "shrink is on and grow is wait (a trial would wait for all its workers and then give them away); "
            "use grow: eager or shrink: off");
}

void check(const SchedulerSpec& spec, Problems& problems) {
    REQUIRE(spec.min.value >= 1, "scheduler.min",
            "min is {} (the first rung needs some training to judge); use 1 or more", spec.min.value);
    REQUIRE(spec.max >= spec.min, "scheduler.max",
            "max is {} and min is {} (no trial could reach the first rung); use a max of at least {}", spec.max.value,
            spec.min.value, spec.min.value);
    REQUIRE(spec.reduction_factor >= 2, "scheduler.reduction_factor",
            "reduction_factor is {} (a rung must drop some trials); use 2, 3 or 4", spec.reduction_factor);
    REQUIRE(spec.workers >= 1, "scheduler.workers", "workers is {} (a trial needs a worker to train); use 1 or more",
            spec.workers);
    REQUIRE(spec.scaling_factor.value_or(1) >= 1, "scheduler.scaling_factor",
            "scaling_factor is {} (survivors must not lose workers); use 2 or more, or 1 to keep their number",
            *spec.scaling_factor);
    REQUIRE(spec.max_workers.value_or(spec.workers) >= spec.workers, "scheduler.max_workers",
            "max_workers is {} and workers is {} (no trial could start); use a max_workers of at least {}",
            *spec.max_workers, spec.workers, spec.workers);
    check_rungs(spec, problems);
    check_slots(spec, problems);
}

}  // namespace

std::vector<Resource> SchedulerSpec::milestones() const {
    std::vector<Resource> result;
    for (const auto step : ladder(min.value, max.value, reduction_factor)) {
        result.push_back(Resource{step});
    }
    return result;
}

int SchedulerSpec::num_brackets() const {
    return brackets.value_or(kind == SchedulerKind::async_hyperband ? num_rungs(*this) : 1);
}

std::vector<InvalidInput> problems_of(const SweepSpec& spec) {
    Problems problems;
    REQUIRE(!spec.metric.empty() || !(spec.target || spec.trial_end.target), "metric.name",
            "the metric has no name, but there is a target for it; give the name that the trials report");
    REQUIRE(spec.run_cap.value_or(1) >= 1, "run_cap", "run_cap is {} (a sweep needs a trial); use 1 or more",
            *spec.run_cap);
    REQUIRE(std::isfinite(spec.target.value_or(0)), "budget.target",
            "target is {} (either no report or every report would meet it); use a finite number", *spec.target);
    REQUIRE(std::isfinite(spec.trial_end.target.value_or(0)), "trial.target",
            "target is {} (either no report or every report would meet it); use a finite number",
            *spec.trial_end.target);
    REQUIRE(spec.trial_end.seconds.value_or(1) > 0, "trial.time",
            "time is {} seconds (a trial needs time to train); use more than 0", *spec.trial_end.seconds);
    REQUIRE(spec.patience.trials.value_or(1) >= 1, "patience.trials",
            "trials is {} (a sweep needs at least one trial to improve); use 1 or more", *spec.patience.trials);
    REQUIRE(spec.patience.resource.value_or(1) >= 1, "patience.resource",
            "resource is {} (a trial needs some resource to improve); use 1 or more", *spec.patience.resource);
    const bool halves_all = spec.scheduler.kind == SchedulerKind::successive_halving;
    REQUIRE(spec.run_cap || spec.target || spec.has_time_budget || spec.patience.trials || halves_all, "run_cap",
            "nothing ends this sweep (new trials would start forever); add run_cap, budget.time, budget.target or "
            "patience.trials");
    REQUIRE(spec.max_retries >= 0, "max_retries",
            "max_retries is {} (a number of retries cannot be negative); use 0 or more", spec.max_retries);
    check(spec.scheduler, problems);
    check_repeat(spec, problems);
    REQUIRE(spec.run_cap || !halves_all, "run_cap",
            "successive_halving halves a given number of trials; give it as run_cap, or use type: hyperband");
    REQUIRE(spec.run_cap || spec.scheduler.priority != Priority::starts_first, "scheduler.priority",
            "priority is starts_first and there is no run_cap (new trials would never let a waiting one "
            "run); give run_cap, or use another priority");
    return problems;
}

void validate(const SweepSpec& spec) {
    if (const auto problems = problems_of(spec); !problems.empty()) {
        throw problems.front();
    }
}

Limits limits_of(const SweepSpec& spec) {
    return {spec.run_cap, spec.target, spec.has_time_budget, spec.scheduler.max_concurrent, spec.max_retries};
}

SweepSpec with_limits(SweepSpec spec, const Limits& limits) {
    spec.run_cap = limits.run_cap;
    spec.target = limits.target;
    spec.has_time_budget = limits.has_time_budget;
    spec.scheduler.max_concurrent = limits.max_concurrent;
    spec.max_retries = limits.max_retries;
    return spec;
}

double to_loss(Goal goal, double metric) { return finite_or_worst(goal == Goal::maximize ? -metric : metric); }

double from_loss(Goal goal, double loss) {
    if (!std::isfinite(loss)) {
        return std::numeric_limits<double>::quiet_NaN();
    }
    return goal == Goal::maximize ? -loss : loss;
}

}  // namespace crescendo
