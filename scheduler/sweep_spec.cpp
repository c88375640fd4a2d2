#include "scheduler/sweep_spec.hpp"

#include <cmath>
#include <limits>

#include "core/check.hpp"
#include "scheduler/loss.hpp"

namespace crescendo {
namespace {

void validate(const SchedulerSpec& spec) {
    CRESCENDO_VALIDATE(spec.min.value >= 1, "scheduler.min",
                       "min is {} (the first rung needs some training to judge); use 1 or more", spec.min.value);
    CRESCENDO_VALIDATE(spec.max >= spec.min, "scheduler.max",
                       "max is {} and min is {} (no trial could reach the first rung); use a max of at least {}",
                       spec.max.value, spec.min.value, spec.min.value);
    CRESCENDO_VALIDATE(spec.reduction_factor >= 2, "scheduler.reduction_factor",
                       "reduction_factor is {} (a rung must drop some trials); use 2, 3 or 4", spec.reduction_factor);
    CRESCENDO_VALIDATE(spec.workers >= 1, "scheduler.workers",
                       "workers is {} (a trial needs a worker to train); use 1 or more", spec.workers);
    CRESCENDO_VALIDATE(
        spec.scaling() >= 1, "scheduler.scaling_factor",
        "scaling_factor is {} (survivors must not lose workers); use 2 or more, or 1 to keep their number",
        spec.scaling());
    CRESCENDO_VALIDATE(spec.max_workers.value_or(spec.workers) >= spec.workers, "scheduler.max_workers",
                       "max_workers is {} and workers is {} (no trial could start); use a max_workers of at least {}",
                       *spec.max_workers, spec.workers, spec.workers);
}

}  // namespace

void validate(const SweepSpec& spec) {
    CRESCENDO_VALIDATE(!spec.metric.empty(), "metric.name",
                       "the metric has no name (trials are judged by it); give the name that the trials report");
    CRESCENDO_VALIDATE(spec.run_cap.value_or(1) >= 1, "run_cap", "run_cap is {} (a sweep needs a trial); use 1 or more",
                       *spec.run_cap);
    CRESCENDO_VALIDATE(std::isfinite(spec.target.value_or(0)), "budget.target",
                       "target is {} (no report can ever, or every report would, meet it); use a finite number",
                       *spec.target);
    CRESCENDO_VALIDATE(spec.run_cap || spec.target || spec.has_time_budget, "run_cap",
                       "nothing ends this sweep (new trials would start for ever); "
                       "give run_cap, budget.time or budget.target");
    CRESCENDO_VALIDATE(spec.max_retries >= 0, "max_retries",
                       "max_retries is {} (a trial cannot be retried less than never); use 0 or more",
                       spec.max_retries);
    validate(spec.scheduler);
}

double to_loss(Goal goal, double metric) { return finite_or_worst(goal == Goal::maximize ? -metric : metric); }

double from_loss(Goal goal, double loss) {
    if (!std::isfinite(loss)) {
        return std::numeric_limits<double>::quiet_NaN();
    }
    return goal == Goal::maximize ? -loss : loss;
}

}  // namespace crescendo
