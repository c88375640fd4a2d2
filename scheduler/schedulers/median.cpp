#include "scheduler/schedulers/median.hpp"

#include <algorithm>

#include "scheduler/loss.hpp"

namespace crescendo {

Judgement Median::report(const Trial& trial) {
    constexpr std::size_t fewest_others = 3;
    const auto index = static_cast<std::size_t>(trial.id.value);
    curves_.resize(std::max(curves_.size(), index + 1));
    auto& curve = curves_[index];
    curve.best = curve.num_reports == 0 ? *trial.loss : std::min(curve.best, *trial.loss);
    curve.sum += *trial.loss;
    ++curve.num_reports;
    if (trial.resource >= max_) {
        ++num_complete_;
        return {Verdict::complete, trial.rungs_survived};
    }
    if (trial.resource < min_) {
        return {Verdict::go_on, trial.rungs_survived};
    }
    auto& averages = averages_[trial.resource];
    const bool stops = averages.size() >= fewest_others && curve.best > quantile(averages, 2);
    const double average = finite_or_worst(curve.sum / static_cast<double>(curve.num_reports));
    averages.insert({average, trial.id}, num_up_to_quantile(averages.size() + 1, 2));
    return {stops ? Verdict::stop : Verdict::go_on, trial.rungs_survived};
}

}  // namespace crescendo
