#pragma once

#include "scheduler/loss.hpp"
#include "scheduler/schedulers/scheduler.hpp"
#include "scheduler/sweep_spec.hpp"

namespace crescendo {

inline SweepSpec sweep_with(const SchedulerSpec& scheduler) {
    SweepSpec spec;
    spec.scheduler = scheduler;
    return spec;
}

/// A scheduler on its own, with a one-line call for each report.
template <class Kind>
struct Judge {
    explicit Judge(const SweepSpec& spec) : scheduler(spec) {}
    explicit Judge(const SchedulerSpec& spec) : scheduler(sweep_with(spec)) {}

    Judgement report(TrialId id, int rungs_survived, Resource resource, double loss) {
        Trial trial;
        trial.id = id;
        trial.rungs_survived = rungs_survived;
        trial.resource = resource;
        trial.loss = finite_or_worst(loss);
        return scheduler.report(trial);
    }
    void fail(TrialId id, int rungs_survived) {
        Trial trial;
        trial.id = id;
        trial.rungs_survived = rungs_survived;
        scheduler.fail(trial);
    }
    void retry(TrialId id, int rungs_survived) {
        Trial trial;
        trial.id = id;
        trial.rungs_survived = rungs_survived;
        scheduler.retry(trial);
    }
    std::size_t size_of_rung(std::size_t rung) const { return scheduler.rungs()[rung].size; }

    Kind scheduler;
};

}  // namespace crescendo
