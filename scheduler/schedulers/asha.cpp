#include "scheduler/schedulers/asha.hpp"

#include <algorithm>

#include "scheduler/loss.hpp"

namespace crescendo {

Asha::Asha(const SweepSpec& spec)
    : rule_(spec.scheduler.rule),
      keeps_diverged_(spec.scheduler.keep_diverged == Switch::on),
      eta_(static_cast<std::size_t>(spec.scheduler.reduction_factor)),
      brackets_(spec) {}

Judgement Asha::report(const Trial& trial) {
    int rungs_survived = trial.rungs_survived;
    const Result result{*trial.loss, trial.id};
    while (brackets_.milestone(trial.bracket, rungs_survived) <= trial.resource) {
        auto& rung = brackets_.rung(trial.bracket, rungs_survived);
        if (brackets_.is_top(trial.bracket, rungs_survived)) {
            insert(rung, result);
            return {Verdict::complete, rungs_survived};
        }
        if (!survives(rung, result)) {
            return {Verdict::stop, rungs_survived};
        }
        ++rungs_survived;
    }
    return {Verdict::go_on, rungs_survived};
}

void Asha::fail(const Trial& trial) {
    insert(brackets_.rung(trial.bracket, trial.rungs_survived), {worst_loss, trial.id});
}

void Asha::retry(const Trial& trial) {
    auto& rung = brackets_.rung(trial.bracket, trial.rungs_survived);
    rung.erase({worst_loss, trial.id}, num_best_of(rung.size() - 1));
}

bool Asha::survives(Cut& rung, const Result& result) const {
    if (rule_ == Rule::percentile) {
        const double worst_to_survive = quantile(rung, eta_);
        const bool may_survive = result.loss < worst_loss || keeps_diverged_ || rung.size() == 0;
        insert(rung, result);
        return may_survive && result.loss <= worst_to_survive;
    }
    insert(rung, result);
    return rung.is_among_best(result);
}

void Asha::insert(Cut& rung, const Result& result) const { rung.insert(result, num_best_of(rung.size() + 1)); }

std::size_t Asha::num_best_of(std::size_t n) const {
    return rule_ == Rule::percentile ? num_up_to_quantile(n, eta_) : std::min(n, std::max<std::size_t>(1, n / eta_));
}

}  // namespace crescendo
