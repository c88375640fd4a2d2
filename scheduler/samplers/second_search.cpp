#include "scheduler/samplers/second_search.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace crescendo {
namespace {

SweepSpec without_earlier(SweepSpec spec) {
    spec.warm_start.clear();
    return spec;
}

}  // namespace

SecondSearch::SecondSearch(const SweepSpec& spec)
    : none_(without_earlier(spec)), results_(none_), points_(SobolSampler::further(spec.space, spec.seed, 1)) {}

void SecondSearch::begin(TrialId first) {
    results_ = none_;
    origin_ = first_ ? origin_ : first.value;
    first_ = first;
}

bool SecondSearch::owns(TrialId trial) const {
    return first_ && trial >= *first_ && trial.value < end && trial.value % 2 == 0;
}

void SecondSearch::tell(const Trial& trial) {
    if (owns(trial.id)) {
        results_.tell(trial);
    }
}

double spread_of_best(const Results& results, const Results::Ranking& ranking, const std::vector<Axis>& axes,
                      std::size_t count, SpreadBy by) {
    double sum_of_logs = 0;
    int num_axes = 0;
    for (std::size_t axis = 0; axis < axes.size(); ++axis) {
        double n = 0;
        double sum = 0;
        double squares = 0;
        for (std::size_t i = 0; i < std::min(count, ranking.best.size()); ++i) {
            const double x = results.point(ranking.best[i].trial)[axis];
            if (x >= 0) {
                n += 1;
                sum += x;
                squares += x * x;
            }
        }
        const bool counts = by == SpreadBy::numbers ? !axes[axis].is_categorical : !axes[axis].is_discrete();
        if (n >= 2 && counts) {
            const double variance = std::max(squares / n - sum / n * (sum / n), 1e-12);
            sum_of_logs += std::log(variance) / 2;
            ++num_axes;
        }
    }
    return num_axes > 0 ? std::exp(sum_of_logs / num_axes) : std::numeric_limits<double>::infinity();
}

}  // namespace crescendo
